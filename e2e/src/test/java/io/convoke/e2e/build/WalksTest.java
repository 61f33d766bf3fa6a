package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.convoke.server.platform.PresenceEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the walk of a webhook in {@code docs/architecture.md} against the code. */
class WalksTest {
  private static final Pattern HOP = Pattern.compile("(?m)^(\\d+)\\. `(\\w+)\\.(\\w+)`");

  /** Where each half begins: by HTTP and by a thread, not by a call of the half before it. */
  private static final Set<String> ENTRIES =
      Set.of("DailyWebhookEndpoint.receive", "PollLoop.step");

  private static final int HOPS_MAX = 18;

  private final JavaClasses classes =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(
              "io.convoke.server.presence",
              "io.convoke.server.platform",
              "io.convoke.server.bots",
              "io.convoke.engine.redis",
              "io.convoke.engine.journal",
              "io.convoke.engine.sql");

  private record Hop(int number, String type, String method) {
    private String name() {
      return type + "." + method;
    }
  }

  private static List<Hop> walk() throws IOException {
    String page = Files.readString(SourcesTest.home().resolve("docs/architecture.md"));
    String section = page.substring(page.indexOf("### A Daily webhook becomes a participant row"));
    return HOP.matcher(section.substring(0, section.indexOf("\n### ")))
        .results()
        .map(hop -> new Hop(Integer.parseInt(hop.group(1)), hop.group(2), hop.group(3)))
        .toList();
  }

  /** The classes of one simple name with their nested ones. */
  private Stream<JavaClass> named(String simpleName) {
    return classes.stream().filter(type -> outermost(type).getSimpleName().equals(simpleName));
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(WalksTest::outermost).orElse(type);
  }

  @Test
  void eachHopOfAWebhookExistsAndAnEarlierClassCallsIt() throws IOException {
    List<Hop> walk = walk();
    assertThat(walk.stream().map(Hop::number))
        .isEqualTo(IntStream.rangeClosed(1, walk.size()).boxed().toList())
        .hasSizeBetween(ENTRIES.size() + 1, HOPS_MAX);
    Set<String> called = new HashSet<>(ENTRIES);
    for (Hop hop : walk) {
      assertThat(named(hop.type()).flatMap(type -> type.getMethods().stream()))
          .as("methods of " + hop.type())
          .extracting(JavaCodeUnit::getName)
          .contains(hop.method());
      assertThat(called).as("hop " + hop.number()).contains(hop.name());
      named(hop.type())
          .flatMap(type -> calls(type))
          .map(access -> access.getTargetOwner().getSimpleName() + "." + access.getName())
          .forEach(called::add);
    }
  }

  /** Calls and references to methods. */
  private static Stream<JavaAccess<?>> calls(JavaClass type) {
    return Stream.concat(
        type.getCodeUnitCallsFromSelf().stream(), type.getCodeUnitReferencesFromSelf().stream());
  }

  @Test
  void onlyReceiversOfEventsCreateThem() {
    JavaClass event = classes.get(PresenceEvent.class);
    assertThat(
            event.getConstructorCallsToSelf().stream()
                .map(call -> outermost(call.getOriginOwner()).getSimpleName())
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder("PresenceEvent", "DailyWebhookParser", "CallbackEndpoints");
  }
}

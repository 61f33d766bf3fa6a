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

/** Checks walks in {@code docs/architecture.md} against the code. */
class WalksTest {
  private static final Pattern HOP = Pattern.compile("(?m)^(\\d+)\\. `(\\w+)\\.(\\w+)`");

  /** Where the parts of a webhook's walk begin: by HTTP and by a thread, not by an earlier hop. */
  private static final Set<String> WEBHOOK_ENTRIES =
      Set.of("DailyWebhookEndpoint.receive", "PollLoop.step");

  /** The same for a task: by HTTP, by a wake-up token in a pod, and by the thread of the relay. */
  private static final Set<String> TASK_ENTRIES =
      Set.of("TaskEndpoints.create", "Pod.onToken", "OutboxRelay.listen");

  /** The same for a bot: by HTTP, by a reader of the journal, and by HTTP. */
  private static final Set<String> BOT_ENTRIES =
      Set.of("BotEndpoints.start", "LaunchWorker.wake", "CallbackEndpoints.joined");

  /** The same for a workflow: by its starter and by the threads of the engine. */
  private static final Set<String> WORKFLOW_ENTRIES = Set.of("Durable.start", "DispatchLoop.run");

  private static final int HOPS_MAX = 18;

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(
              "io.convoke.server.presence",
              "io.convoke.server.platform",
              "io.convoke.server.bots",
              "io.convoke.server.launch",
              "io.convoke.engine.durable",
              "io.convoke.server.dispatch",
              "io.convoke.engine.dispatch",
              "io.convoke.engine.crypto",
              "io.convoke.engine.redis",
              "io.convoke.engine.journal",
              "io.convoke.engine.sql");

  private record Hop(int number, String type, String method) {
    private String name() {
      return type + "." + method;
    }
  }

  private static List<Hop> walk(String heading) throws IOException {
    String page = Files.readString(SourcesTest.home().resolve("docs/architecture.md"));
    String section = page.substring(page.indexOf("### " + heading));
    return HOP.matcher(section.substring(0, section.indexOf("\n##")))
        .results()
        .map(hop -> new Hop(Integer.parseInt(hop.group(1)), hop.group(2), hop.group(3)))
        .toList();
  }

  /** The classes of one simple name with their nested ones. */
  private static Stream<JavaClass> named(String simpleName) {
    return CLASSES.stream().filter(type -> outermost(type).getSimpleName().equals(simpleName));
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(WalksTest::outermost).orElse(type);
  }

  @Test
  void eachHopOfAWebhookExistsAndAnEarlierClassCallsIt() throws IOException {
    check(walk("A Daily webhook becomes a participant row"), WEBHOOK_ENTRIES);
  }

  @Test
  void eachHopOfABotExistsAndAnEarlierClassCallsIt() throws IOException {
    check(walk("POST /bots/start becomes a running bot that reports"), BOT_ENTRIES);
  }

  @Test
  void eachHopOfATaskExistsAndAnEarlierClassCallsIt() throws IOException {
    check(walk("POST /tasks runs on a pod and is done"), TASK_ENTRIES);
  }

  @Test
  void eachHopOfAWorkflowExistsAndAnEarlierClassCallsIt() throws IOException {
    check(walk("A workflow starts and completes"), WORKFLOW_ENTRIES);
  }

  /**
   * Checks a walk.
   *
   * @param entries where its parts begin: by HTTP or by a thread, not by a call of an earlier hop
   */
  private static void check(List<Hop> walk, Set<String> entries) {
    assertThat(walk.stream().map(Hop::number))
        .isEqualTo(IntStream.rangeClosed(1, walk.size()).boxed().toList())
        .hasSizeBetween(entries.size() + 1, HOPS_MAX);
    Set<String> called = new HashSet<>(entries);
    for (Hop hop : walk) {
      assertThat(named(hop.type()).flatMap(type -> type.getMethods().stream()))
          .as("methods of " + hop.type())
          .extracting(JavaCodeUnit::getName)
          .contains(hop.method());
      assertThat(called).as("hop " + hop.number()).contains(hop.name());
      named(hop.type()).flatMap(WalksTest::calls).flatMap(WalksTest::targets).forEach(called::add);
    }
  }

  /** The method that is called, and those that implement or override it. */
  private static Stream<String> targets(JavaAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    return Stream.concat(Stream.of(owner), owner.getAllSubclasses().stream())
        .map(type -> type.getSimpleName() + "." + access.getName());
  }

  /** Calls and references to methods. */
  private static Stream<JavaAccess<?>> calls(JavaClass type) {
    return Stream.concat(
        type.getCodeUnitCallsFromSelf().stream(), type.getCodeUnitReferencesFromSelf().stream());
  }

  @Test
  void onlyReceiversOfEventsCreateThem() {
    JavaClass event = CLASSES.get(PresenceEvent.class);
    assertThat(
            event.getConstructorCallsToSelf().stream()
                .map(call -> outermost(call.getOriginOwner()).getSimpleName())
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            "PresenceEvent", "DailyWebhookParser", "JanusEventParser", "CallbackEndpoints");
  }
}

package io.convoke.engine.durable.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The examples of the guide: run, compared with what the guide shows, and short. */
@Tag("nightly")
class ExamplesTest {
  private static final int LINES_MAX = 40;
  private static final Path GUIDE = home().resolve("docs/guides/workflow-examples.md");
  private static final Pattern SHOWN =
      Pattern.compile("<!-- ([A-Za-z]+)\\.java -->\n```java\n(.*?)```\n", Pattern.DOTALL);

  private interface Example {
    String run(String url) throws Exception;
  }

  private static final Map<String, Example> EXAMPLES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("Approval", Approval::run),
              Map.entry("Booking", Booking::run),
              Map.entry("Import", Import::run),
              Map.entry("Inbox", Inbox::run),
              Map.entry("Order", Order::run),
              Map.entry("Payment", Payment::run),
              Map.entry("Reminder", Reminder::run),
              Map.entry("Report", Report::run),
              Map.entry("Shipping", Shipping::run),
              Map.entry("Squares", Squares::run),
              Map.entry("Trip", Trip::run),
              Map.entry("Turnstile", Turnstile::run)));

  private static final Map<String, String> RESULTS =
      Map.ofEntries(
          Map.entry("Approval", "yes, no answer"),
          Map.entry("Booking", "seat 12 is free again: changed my mind"),
          Map.entry("Import", "3 of 3 copied"),
          Map.entry("Inbox", "5 words in execution 4"),
          Map.entry("Order", "a book for 1500, in parcel 12"),
          Map.entry("Payment", "4200 paid once, as order-7/1/2"),
          Map.entry("Reminder", "sent: your trial is over"),
          Map.entry("Report", "report of the last second"),
          Map.entry("Shipping", "by post!by drone!"),
          Map.entry("Squares", "sum 2870"),
          Map.entry("Trip", "train booked, but no room"),
          Map.entry("Turnstile", "10 calls, two at most at a time"));

  @TestFactory
  Stream<DynamicTest> eachDoesWhatItSays() {
    return EXAMPLES.entrySet().stream()
        .map(
            example ->
                DynamicTest.dynamicTest(
                    example.getKey(),
                    () ->
                        assertThat(example.getValue().run(LocalStores.forTests().freshDatabase()))
                            .isEqualTo(RESULTS.get(example.getKey()))));
  }

  @Test
  void theGuideShowsTheFilesAsTheyAre() throws IOException {
    Map<String, String> shown = new TreeMap<>();
    var blocks = SHOWN.matcher(Files.readString(GUIDE));
    while (blocks.find()) {
      String _ = shown.put(blocks.group(1), blocks.group(2));
    }
    assertThat(shown.keySet()).isEqualTo(EXAMPLES.keySet());
    for (String name : EXAMPLES.keySet()) {
      List<String> code = code(name);
      assertThat(shown.get(name)).as(name).isEqualTo(String.join("\n", code) + "\n");
      assertThat(code).as("lines of " + name).hasSizeLessThan(LINES_MAX);
    }
  }

  /** From the first line of its comment on: what stands before is the package and imports. */
  private static List<String> code(String name) throws IOException {
    Path file =
        home()
            .resolve("durable/src/test/java/io/convoke/engine/durable/examples/" + name + ".java");
    return Files.readAllLines(file).stream().dropWhile(line -> !line.startsWith("/**")).toList();
  }

  private static Path home() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("CHANGELOG.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}

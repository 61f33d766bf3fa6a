package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The parts of the guide that are generated from the code: diagram, deadlines, outcomes. A failure
 * shows the expected text; {@code -Dguide.write=true} writes it.
 */
class BotsGuideTest {

  @Test
  void theDiagramMatchesTheLifecycle() throws IOException {
    String diagram = BotLifecycle.TABLE.mermaid("reserved", List.of("completed", "failed")).strip();
    assertGuide("lifecycle", "```mermaid\n" + diagram + "\n```");
  }

  @Test
  void theDeadlinesAreTheSweepers() throws IOException {
    BotsConfig terms = BotsConfig.of(ServerConfig.of(Map.of()), 8080);
    List<String> lines = new ArrayList<>();
    lines.add("| state | who must move it on | within | counted from | when overdue |");
    lines.add("|---|---|---|---|---|");
    for (BotDeadlines.DeadlineRule deadlineRule : new BotDeadlines(terms).rules()) {
      lines.add(
          "| `%s` | %s | %d min | %s | %s |"
              .formatted(
                  deadlineRule.status().wireName(),
                  deadlineRule.owner(),
                  deadlineRule.timeout().toMinutes(),
                  deadlineRule.from(),
                  deadlineRule.overdue()));
    }
    assertGuide("deadlines", String.join("\n", lines));
  }

  @Test
  void theOutcomesAreTheReducers() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("| attribution | reasons |");
    lines.add("|---|---|");
    for (BotOutcome.OutcomeAttribution outcomeAttribution :
        BotOutcome.OutcomeAttribution.values()) {
      String reasons =
          OutcomeClassifier.KNOWN.entrySet().stream()
              .filter(entry -> entry.getValue() == outcomeAttribution)
              .map(Map.Entry::getKey)
              .sorted(Comparator.naturalOrder())
              .map(reason -> "`" + reason + "`")
              .collect(Collectors.joining(", "));
      lines.add(
          "| `%s` | %s |"
              .formatted(outcomeAttribution.name().toLowerCase(java.util.Locale.ROOT), reasons));
    }
    assertGuide("outcomes", String.join("\n", lines));
  }

  private static void assertGuide(String name, String wanted) throws IOException {
    Path guide = Path.of("..", "docs", "reference", "bots.md");
    String text = Files.readString(guide);
    String open = "<!-- made: " + name + " -->\n";
    String close = "\n<!-- end: " + name + " -->";
    int from = text.indexOf(open) + open.length();
    int to = text.indexOf(close);
    assertThat(to).as("the guide has a place for %s", name).isGreaterThan(from - 1);
    if (Boolean.getBoolean("guide.write")) {
      Files.writeString(guide, text.substring(0, from) + wanted + text.substring(to));
      return;
    }
    assertThat(text.substring(from, to)).isEqualTo(wanted);
  }
}

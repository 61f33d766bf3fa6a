package io.convoke.server.summaries;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.summaries.SummaryPrompt.CitedSummary;
import io.convoke.server.summaries.SummaryPrompt.ParsedAnswer;
import io.convoke.server.summaries.SummaryPrompt.PromptPart;
import io.convoke.server.summaries.SummaryPrompt.SummaryCitation;
import io.convoke.server.summaries.SummaryPrompt.SummaryLine;
import io.convoke.server.summaries.SummaryPrompt.SummaryStatement;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Lines for a model, and what of its answer is part of a summary. */
class SummaryPromptTest {
  private static final List<SummaryLine> LINES =
      List.of(
          new SummaryLine(101, 1, 1, Optional.of("Ada"), "We need\na [2] budget."),
          new SummaryLine(102, 3, 3663, Optional.empty(), "Yes."),
          new SummaryLine(103, 5, 3665, Optional.of("Bob"), "By Friday."));
  private static final PromptPart PART = new PromptPart(1, LINES);

  @Test
  void eachSegmentIsOneNumberedLine() {
    assertThat(PART.text())
        .isEqualTo(
            """
            [1] 0:00:01 Ada: We need a [2] budget.
            [2] 1:01:03 Unknown: Yes.
            [3] 1:01:05 Bob: By Friday.
            """);
  }

  @Test
  void partsHoldEachLineOnceAndAreNotLongerThanAllowed() {
    List<SummaryLine> lines =
        IntStream.range(0, 100)
            .mapToObj(i -> new SummaryLine(i, i, i, Optional.of("Ada"), "word ".repeat(1 + i % 7)))
            .toList();
    List<PromptPart> parts = SummaryPrompt.parts(lines, 500);
    assertThat(parts).hasSizeGreaterThan(5).allMatch(part -> part.text().length() <= 500);
    assertThat(parts.stream().flatMap(part -> part.lines().stream())).isEqualTo(lines);
    int next = 1;
    for (PromptPart part : parts) {
      assertThat(part.first()).isEqualTo(next);
      next += part.lines().size();
    }
    assertThat(SummaryPrompt.parts(lines.subList(0, 1), 3)).hasSize(1);
    assertThat(SummaryPrompt.parts(List.of(), 500)).isEmpty();
  }

  @Test
  void aPartMayBeExactlyAsLongAsAllowed() {
    List<SummaryLine> lines = Collections.nCopies(12, LINES.getFirst());
    int chars = new PromptPart(1, lines).text().length();
    assertThat(SummaryPrompt.parts(lines, chars)).containsExactly(new PromptPart(1, lines));
    assertThat(SummaryPrompt.parts(lines, chars - 1))
        .containsExactly(
            new PromptPart(1, lines.subList(0, 11)), new PromptPart(12, lines.subList(11, 12)));
  }

  @Test
  void aTextHas2000CharactersAtMost() {
    String longest = "x".repeat(2_000);
    String answer = "{\"summary\": [{\"text\": \"%s\", \"lines\": [1]}]}";
    assertThat(statements(answer.formatted(longest), PART))
        .containsExactly(new SummaryStatement(longest, List.of(1)));
    assertThat(statements(answer.formatted(longest + "y"), PART))
        .containsExactly(new SummaryStatement(longest + "…", List.of(1)));
  }

  @Test
  void aSummaryHas50StatementsAtMostAndEachCites8Lines() {
    PromptPart part = new PromptPart(1, Collections.nCopies(9, LINES.getFirst()));
    String item = "{\"text\": \"A budget.\", \"lines\": [1, 2, 3, 4, 5, 6, 7, 8, 9]}";
    String answer = "{\"summary\": [" + String.join(",", Collections.nCopies(51, item)) + "]}";
    assertThat(statements(answer, part))
        .hasSize(50)
        .containsOnly(new SummaryStatement("A budget.", List.of(1, 2, 3, 4, 5, 6, 7, 8)));
  }

  private static List<SummaryStatement> statements(String answer, PromptPart part) {
    return SummaryPrompt.parse(answer, part).orElseThrow().statements();
  }

  @Test
  void statementsKeepTheLinesThatExistAndOthersAreCounted() {
    ParsedAnswer parsed =
        SummaryPrompt.parse(
                """
                {"summary": [
                  {"text": "A budget is needed.[3] ", "lines": [1, 3, 1, 4, 0, -2, "2", 1.5, 99999999999]},
                  {"text": "Nothing says this.", "lines": [7]},
                  {"text": "Nor this.", "lines": []},
                  {"text": "Nor this.", "lines": "1"},
                  {"text": "  ", "lines": [2]},
                  {"text": 5, "lines": [2]},
                  "Friday"]}
                """,
                PART)
            .orElseThrow();
    assertThat(parsed.statements())
        .containsExactly(new SummaryStatement("A budget is needed.", List.of(1, 3)));
    assertThat(parsed.rejected()).isEqualTo(7);
  }

  @Test
  void linesOfAnotherPartDoNotCount() {
    PromptPart second = new PromptPart(3, LINES.subList(2, 3));
    String answer = "{\"summary\": [{\"text\": \"Friday.\", \"lines\": [1, 3]}]}";
    assertThat(SummaryPrompt.parse(answer, second).orElseThrow())
        .isEqualTo(new ParsedAnswer(List.of(new SummaryStatement("Friday.", List.of(3))), 1));
  }

  @Test
  void anAnswerOfAnotherFormIsNone() {
    for (String answer :
        List.of(
            "",
            "A budget is needed.",
            "{\"summary\": \"A budget.\"}",
            "{\"summary\": {}}",
            "{}",
            "[1]",
            "{\"summary\": [{\"text\": \"A budget.\", \"lines\": [9]}]}",
            "{\"summary\": [{}]}",
            "{\"summary\": [{\"text\": \"A bud")) {
      assertThat(SummaryPrompt.parse(answer, PART)).as(answer).isEmpty();
    }
    String fenced = "```json\n{\"summary\": [{\"text\": \"A budget.\", \"lines\": [1]}]}\n```";
    assertThat(SummaryPrompt.parse(fenced, PART)).isPresent();
  }

  @Test
  void anAnswerWithoutItemsHasNothingToTell() {
    assertThat(SummaryPrompt.parse("{\"summary\": []}", PART))
        .contains(new ParsedAnswer(List.of(), 0));
  }

  @Test
  void aPartHasAKeyOfItsLinesAndOfTheModel() {
    PromptPart same = new PromptPart(1, List.copyOf(LINES));
    assertThat(PART.key("gpt-4o")).matches("[0-9a-f]{64}").isEqualTo(same.key("gpt-4o"));
    assertThat(PART.key("o3")).isNotEqualTo(PART.key("gpt-4o"));
    assertThat(new PromptPart(2, LINES).key("gpt-4o")).isNotEqualTo(PART.key("gpt-4o"));
  }

  @Test
  void marksStandForCitationsInTheOrderOfTheirFirstUse() {
    CitedSummary cited =
        SummaryPrompt.cited(
            LINES,
            List.of(
                new SummaryStatement("By Friday.", List.of(3)),
                new SummaryStatement("A budget.", List.of(1, 3))));
    assertThat(cited.text()).isEqualTo("By Friday. [1]\n\nA budget. [2][1]");
    assertThat(cited.citations())
        .containsExactly(new SummaryCitation(1, 103, 5), new SummaryCitation(2, 101, 1));
  }
}

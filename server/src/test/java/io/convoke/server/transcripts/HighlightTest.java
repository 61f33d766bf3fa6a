package io.convoke.server.transcripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A highlight is HTML that is safe to render. */
class HighlightTest {
  @Test
  void wholeWordsAreMarkedInAnyCase() {
    assertThat(Highlight.of("Plan the plan, not the planet. PLAN", List.of("plan")))
        .isEqualTo("<mark>Plan</mark> the <mark>plan</mark>, not the planet. <mark>PLAN</mark>");
    assertThat(Highlight.of("Größe", List.of("gr"))).isEqualTo("Größe");
    assertThat(Highlight.of("follow-up", List.of("follow", "up")))
        .isEqualTo("<mark>follow</mark>-<mark>up</mark>");
  }

  @Test
  void whatWasSaidIsNoMarkup() {
    assertThat(Highlight.of("<b onclick='x()'>\"budget\" & </b>", List.of("budget", "b")))
        .isEqualTo(
            "&lt;<mark>b</mark> onclick=&#39;x()&#39;&gt;&quot;<mark>budget</mark>&quot; &amp;"
                + " &lt;/<mark>b</mark>&gt;");
    assertThat(Highlight.of("<mark>x</mark>", List.of("mark")))
        .isEqualTo("&lt;<mark>mark</mark>&gt;x&lt;/<mark>mark</mark>&gt;");
  }

  @Test
  void aLongTextIsCutAroundTheFirstWordFound() {
    String text = "before ".repeat(200) + "😀 budget " + "after ".repeat(200);
    assertThat(Highlight.of(text, List.of("budget")))
        .startsWith("…before")
        .contains("😀 <mark>budget</mark> after")
        .endsWith("…")
        .hasSizeBetween(300, 700);
    assertThat(Highlight.of("😀".repeat(1000), List.of())).startsWith("😀").endsWith("😀…");
  }

  @Test
  void aTextOf400CharactersIsNotCut() {
    String before = "a ".repeat(197);
    assertThat(Highlight.of(before + "budget", List.of("budget")))
        .isEqualTo(before + "<mark>budget</mark>");
    assertThat(Highlight.of(before + "budget!", List.of("budget")))
        .isEqualTo("…" + "a ".repeat(60) + "<mark>budget</mark>!");
  }

  /** The cut would be within the long word; it moves by 120 characters at most. */
  @ParameterizedTest
  @CsvSource({"200, 200", "239, 239", "240, 239", "300, 239"})
  void theBeginningOfAWordBeforeTheCutIsShown(int length, int shown) {
    String text = "start " + "x".repeat(length) + " budget" + " after".repeat(40);
    assertThat(Highlight.of(text, List.of("budget")))
        .startsWith("…" + "x".repeat(shown) + " <mark>budget</mark> after");
  }

  @ParameterizedTest
  @CsvSource({"450, 450", "513, 513", "514, 513", "600, 513"})
  void theEndOfAWordAfterTheCutIsShown(int length, int shown) {
    assertThat(Highlight.of("budget " + "x".repeat(length) + " end", List.of("budget")))
        .isEqualTo("<mark>budget</mark> " + "x".repeat(shown) + "…");
  }

  @Test
  void aMarkEndsWhereTheTextIsCut() {
    String word = "x".repeat(700);
    assertThat(Highlight.of(word, List.of(word)))
        .isEqualTo("<mark>" + "x".repeat(520) + "</mark>…");
  }

  @Test
  void charactersOfTwoPartsStayWhole() {
    assertThat(Highlight.of("a" + "😀".repeat(1000), List.of()))
        .isEqualTo("a" + "😀".repeat(199) + "…");
    assertThat(Highlight.of("😀".repeat(300) + " budget", List.of("budget")))
        .isEqualTo("…" + "😀".repeat(60) + " <mark>budget</mark>");
  }
}

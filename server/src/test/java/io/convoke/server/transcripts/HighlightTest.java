package io.convoke.server.transcripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

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
}

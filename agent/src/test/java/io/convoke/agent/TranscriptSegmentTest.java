package io.convoke.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class TranscriptSegmentTest {
  private static TranscriptSegment said(double start, double end, String language, double level) {
    return new TranscriptSegment(
        start, end, "Hm", Optional.empty(), Optional.of(language), true, OptionalDouble.of(level));
  }

  @Test
  void isReportedAsMeasured() {
    assertThat(said(1.5, 2, "en", -20.5).json())
        .isEqualTo(
            Map.of("start", 1.5, "end", 2.0, "text", "Hm", "language", "en", "level_db", -20.5));
  }

  /** The control plane refuses a whole report for one number or language that it does not take. */
  @Test
  void whatIsOddAboutOneDoesNotStopTheOthers() {
    assertThat(said(-0.5, Double.NaN, " ", Double.NEGATIVE_INFINITY).json())
        .isEqualTo(Map.of("start", 0.0, "end", 0.0, "text", "Hm", "level_db", -127.0));
    assertThat(said(1, 1e9, "e\n" + "n".repeat(40), 0.1).json())
        .isEqualTo(
            Map.of(
                "start", 1.0,
                "end", 1e7,
                "text", "Hm",
                "language", "e " + "n".repeat(33),
                "level_db", 0.0));
  }
}

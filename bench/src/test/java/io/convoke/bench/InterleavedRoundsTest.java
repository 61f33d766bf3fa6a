package io.convoke.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.MeasurementGoal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InterleavedRoundsTest {

  @Test
  void candidatesTakeTurns() throws Exception {
    List<String> turns = new ArrayList<>();

    List<CandidateSeries> series =
        InterleavedRounds.interleaved(
            2,
            List.of("a", "b", "c"),
            name -> name,
            (name, round) -> {
              turns.add(name + round);
              return sample(100);
            });

    assertThat(turns).containsExactly("a1", "b1", "c1", "a2", "b2", "c2");
    assertThat(series).extracting(CandidateSeries::candidate).containsExactly("a", "b", "c");
    assertThat(series).allSatisfy(one -> assertThat(one.samples()).hasSize(2));
  }

  @Test
  void aRatioIsOfMediansSoThatOneBadRoundDoesNotCount() {
    CandidateSeries ours =
        new CandidateSeries("ours", List.of(sample(600), sample(10), sample(620)));
    CandidateSeries bare =
        new CandidateSeries("bare", List.of(sample(1000), sample(990), sample(5000)));

    assertThat(ours.ratioTo(bare)).isEqualTo(0.6, offset(1e-9));
    assertThat(ours.least(MeasuredSample::perSecond)).isEqualTo(10);
    assertThat(ours.most(MeasuredSample::perSecond)).isEqualTo(620);
  }

  @Test
  void aGoalIsMetFromItsBoundOn() {
    assertThat(MeasurementGoal.atLeast("ours / bare", 0.6, 0.6).met()).isTrue();
    assertThat(MeasurementGoal.atLeast("ours / bare", 0.59, 0.6).met()).isFalse();
    assertThat(MeasurementGoal.atMost("p99 ms", 25, 25).met()).isTrue();
    assertThat(MeasurementGoal.atMost("p99 ms", 26, 25).met()).isFalse();
  }

  private static MeasuredSample sample(long operations) {
    return new MeasuredSample(
        operations,
        0,
        Duration.ofSeconds(1),
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(100));
  }
}

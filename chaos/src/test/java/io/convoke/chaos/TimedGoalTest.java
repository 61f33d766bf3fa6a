package io.convoke.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A goal is kept by ninety-nine of a hundred, counted over all runs together. */
final class TimedGoalTest {
  private static final Optional<Duration> GOAL = Optional.of(Duration.ofMillis(1500));

  @Test
  void oneOfAHundredMayMissTheGoalButNotTwo() {
    TimedGoal good = timed(LongStream.rangeClosed(1, 99)).and(timed(LongStream.of(9000)));
    assertThat(good.kept()).isTrue();
    assertThat(good.line())
        .contains("100 samples, median 50 ms, p99 99 ms, worst 9000 ms", "1500 ms, kept");

    TimedGoal bad = good.and(timed(LongStream.of(1501)));
    assertThat(bad.kept()).isFalse();
    assertThat(bad.line()).contains("p99 1501 ms", "MISSED");
  }

  @Test
  void fewerSamplesAreJudgedByTheirMedian() {
    TimedGoal late = timed(LongStream.rangeClosed(1495, 1510));
    assertThat(late.kept()).isFalse();
    assertThat(late.line()).contains("16 samples, median 1502 ms", "MISSED");
    assertThat(timed(LongStream.rangeClosed(1490, 1505)).kept()).isTrue();
  }

  @Test
  void fewSamplesAreNotJudged() {
    TimedGoal few = timed(LongStream.of(9000));
    assertThat(few.kept()).isTrue();
    assertThat(few.line()).contains("too few to judge");
    assertThat(timed(LongStream.empty()).line()).isEqualTo("restart: never");
  }

  private static TimedGoal timed(LongStream millis) {
    List<Duration> spans = millis.mapToObj(Duration::ofMillis).toList();
    return new TimedGoal("restart", GOAL, spans);
  }
}

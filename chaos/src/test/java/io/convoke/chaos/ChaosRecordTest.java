package io.convoke.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.RuleViolation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Several runs as one table. */
class ChaosRecordTest {
  @Test
  void runsAreSummedUpAndWrongSeedsListed() {
    RuleViolation lost = new RuleViolation(RuleViolation.ViolationKind.LOST, "a visit is missing");
    ChaosRecord record =
        new ChaosRecord(
            "presence",
            List.of(
                verdict(7, Optional.of(Duration.ofMillis(1500)), List.of()),
                verdict(8, Optional.of(Duration.ofMillis(4200)), List.of()),
                verdict(9, Optional.empty(), List.of(lost))),
            List.of());

    assertThat(record.table().title()).isEqualTo("presence: 3 seeds from 7, 2 ok");
    assertThat(record.table().rows())
        .containsExactly(
            List.of("operations", "3,000"),
            List.of("lost, duplicated, illegal, open after the end", "1, 0, 0, 0"),
            List.of("wrong seeds", "9"),
            List.of("converged after, median and longest", "1.5 s, 4.2 s"));
  }

  private static RunReport verdict(
      long seed, Optional<Duration> converged, List<RuleViolation> findings) {
    return new RunReport(
        seed, 1000, converged, findings, List.of(), List.of(), Path.of("logs"), Coverage.NONE);
  }
}

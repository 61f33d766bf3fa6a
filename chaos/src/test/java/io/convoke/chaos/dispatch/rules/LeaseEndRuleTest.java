package io.convoke.chaos.dispatch.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskEvidence;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskLimits;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program that outlives its lease, with and without what excuses it. */
final class LeaseEndRuleTest {
  private static final String POD = "pod-a";
  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final long LATEST = 1000 + LEASE.plus(GRACE).toMillis() + 1500;

  private final List<SilentPod> silences = new ArrayList<>();

  @Test
  void aProgramThatRunsOnWithoutItsLeaseIsFound() {
    silences.add(new SilentPod(POD, ChaosProgram.Silence.CUT_OFF, at(1000), Optional.empty()));
    assertThat(check(LATEST)).isEmpty();
    assertThat(check(LATEST + 1)).hasSize(1);
    silences.add(new SilentPod(POD, ChaosProgram.Silence.HUNG, at(2000), Optional.of(at(9000))));
    assertThat(check(LATEST + 1)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"pod-a,500,1001,0", "pod-a,500,1000,1", "pod-a,10500,11000,1", "pod-b,2000,9000,1"})
  void onlyAPodThatHangsMeanwhileIsExcused(String pod, long from, long to, int found) {
    silences.add(new SilentPod(POD, ChaosProgram.Silence.CUT_OFF, at(1000), Optional.empty()));
    silences.add(new SilentPod(pod, ChaosProgram.Silence.HUNG, at(from), Optional.of(at(to))));
    assertThat(check(LATEST + 1)).hasSize(found);
  }

  @ParameterizedTest
  @CsvSource({"pod-b,1000,0", "pod-a,110,0", "pod-a,111,1"})
  void onlyWhatAPodRanWhenItWasCutOffIsJudged(String pod, long from, int found) {
    silences.add(new SilentPod(pod, ChaosProgram.Silence.CUT_OFF, at(from), Optional.empty()));
    assertThat(check(60_000)).hasSize(found);
  }

  @Test
  void aPodThatReachesRedisAgainInTimeGoesOn() {
    silences.add(new SilentPod(POD, ChaosProgram.Silence.CUT_OFF, at(1000), Optional.of(at(5000))));
    assertThat(check(60_000)).isEmpty();
  }

  /** Of a program that began before the cut and ended then. */
  private List<RuleViolation> check(long ended) {
    ObservedAttempt attempt =
        new ObservedAttempt(
            "t1", 1, "pod-0.1", POD, at(110), Optional.of(at(ended)), "stopped", "0");
    return TaskHolderRules.leaseEnd(
        new TaskHistory(
            List.of(),
            List.of(),
            List.of(),
            List.of(attempt),
            List.of(),
            StreamRule.Streams.NONE,
            List.of(),
            List.of(),
            silences,
            List.of(),
            List.of(),
            List.of(),
            new TaskLimits(Duration.ZERO, Duration.ZERO, LEASE, Duration.ZERO, 3),
            new TaskEvidence(List.of(), Map.of(), Duration.ZERO, 2, GRACE, List.of())));
  }

  private static Instant at(long ms) {
    return T.plusMillis(ms);
  }
}

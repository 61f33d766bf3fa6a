package io.convoke.chaos.durable.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rule of steps, with histories that violate it. */
final class StepRuleTest {
  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");
  private static final TestFlow FLOW = new TestFlow("f", TestFlow.TestFlowKind.STEPPED, 2, 3);

  private static final Duration LOCK = Duration.ofSeconds(2);

  private final ObservedActivityAttempt first = step(0, 10, Optional.of(20L));
  private final ObservedActivityAttempt second = step(1, 30, Optional.of(40L));
  private final List<ObservedActivityAttempt> repeated =
      List.of(first, second, step(1, 5000, Optional.of(5010L)));

  @Test
  void eachStepRunsOnceAndEnds() {
    assertThat(found(List.of(first, second))).isEmpty();
    assertThat(found(List.of(first))).singleElement().asString().contains("did not end");
    assertThat(found(List.of(first, step(1, 30, Optional.empty())))).hasSize(1);
    assertThat(found(repeated)).singleElement().asString().contains("ran 2 times");
  }

  @Test
  void oneThatWasNotCommittedWhenItsNodeWasKilledMayRunAgain() {
    assertThat(found(repeated, killedAt(1000))).isEmpty();
    assertThat(found(repeated, killedAt(2000))).as("it was committed").hasSize(1);
    List<ObservedActivityAttempt> cut = List.of(first, step(1, 30, Optional.empty()), second);
    assertThat(found(cut, killedAt(35))).isEmpty();
    assertThat(found(List.of(first, second), killedAt(35))).isEmpty();
  }

  @Test
  void oneMayRunAgainWhoseTurnCouldNotBeCommittedForAsLongAsItsLockLasts() {
    assertThat(found(repeated, cut(50, 1250), cut(1200, 2100))).isEmpty();
    assertThat(found(repeated, cut(50, 1250), cut(900, 1900))).as("too short").hasSize(1);
    assertThat(found(repeated, cut(50, 1250), cut(1260, 2300))).as("with a pause").hasSize(1);
    assertThat(found(repeated, cut(2000, 5000))).as("it was committed").hasSize(1);
  }

  private static FaultWindow cut(long from, long to) {
    return new FaultWindow(FaultTimeline.CONNECTIONS_CUT, "all", at(from), at(to));
  }

  private static FaultWindow killedAt(long ms) {
    return new FaultWindow(FaultTimeline.KILL, "node-0", at(ms), at(ms + 1500));
  }

  private static List<String> found(List<ObservedActivityAttempt> steps, FaultWindow... faults) {
    return FlowResultRules.step(
            new FlowHistory(
                List.of(FLOW),
                Set.of(),
                Set.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Duration.ZERO,
                LOCK,
                TestEvidence.steps(List.of(faults), steps)))
        .stream()
        .map(RuleViolation::text)
        .toList();
  }

  private static ObservedActivityAttempt step(int number, long begun, Optional<Long> ended) {
    return new ObservedActivityAttempt(
        "node-0.1",
        FLOW.activity(number).stepKey(),
        1,
        at(begun),
        Duration.ZERO,
        ended.map(StepRuleTest::at));
  }

  private static Instant at(long ms) {
    return T.plusMillis(ms);
  }
}

package io.convoke.chaos.durable.rules;

import static io.convoke.chaos.durable.rules.TestHistory.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The rule of steps, with histories that violate it. */
final class StepRuleTest {
  private static final TestFlow FLOW = new TestFlow("f", TestFlow.TestFlowKind.STEPPED, 2, 3);

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
    assertThat(found(repeated, kill("node-1", 1000))).as("another node").hasSize(1);
    FaultWindow hang = new FaultWindow(FaultTimeline.HANG, "node-0", at(1000), at(2500));
    assertThat(found(repeated, hang)).as("it was not killed").hasSize(1);
    List<ObservedActivityAttempt> cut = List.of(first, step(1, 30, Optional.empty()), second);
    assertThat(found(cut, killedAt(35))).isEmpty();
    assertThat(found(List.of(first, second), killedAt(35))).isEmpty();
  }

  @Test
  void oneThatDidNotEndWasKilledUntilItsNodeWasUpAgain() {
    assertThat(found(cutOff(Optional.empty()), killedAt(100))).isEmpty();
    assertThat(found(cutOff(Optional.empty()), killedAt(-600))).as("before it began").hasSize(1);
    assertThat(found(cutOff(Optional.of(1010L)), killedAt(100))).as("it ended").hasSize(1);
  }

  /** The second step began after a second, and again. */
  private List<ObservedActivityAttempt> cutOff(Optional<Long> ended) {
    return List.of(first, step(1, 1000, ended), step(1, 5000, Optional.of(5010L)));
  }

  @Test
  void oneMayRunAgainWhoseTurnCouldNotBeCommittedForAsLongAsItsLockLasts() {
    assertThat(found(repeated, cut(50, 1250), cut(1200, 2100))).isEmpty();
    assertThat(found(repeated, cut(50, 1250), cut(900, 2050))).as("too short").hasSize(1);
    assertThat(found(repeated, cut(50, 1250), cut(900, 2051))).isEmpty();
    FaultWindow slow = new FaultWindow("slow network", "all", at(50), at(2100));
    assertThat(found(repeated, slow)).as("no connection was cut").hasSize(1);
    assertThat(found(repeated, cut(50, 1250), cut(1260, 2300))).as("with a pause").hasSize(1);
    assertThat(found(repeated, cut(2000, 5000))).as("it was committed").hasSize(1);
  }

  private static FaultWindow cut(long from, long to) {
    return new FaultWindow(FaultTimeline.CONNECTIONS_CUT, "all", at(from), at(to));
  }

  private static FaultWindow killedAt(long ms) {
    return kill("node-0", ms);
  }

  private static FaultWindow kill(String node, long ms) {
    return new FaultWindow(FaultTimeline.KILL, node, at(ms), at(ms + 1500));
  }

  private static List<String> found(List<ObservedActivityAttempt> steps, FaultWindow... faults) {
    TestHistory history = new TestHistory();
    history.flows.add(FLOW);
    history.steps.addAll(steps);
    history.faults.addAll(List.of(faults));
    return history.found("StepRule");
  }

  private static ObservedActivityAttempt step(int number, long begun, Optional<Long> ended) {
    return new ObservedActivityAttempt(
        "node-0.1",
        FLOW.activity(number).stepKey(),
        1,
        at(begun),
        Duration.ZERO,
        ended.map(TestHistory::at));
  }
}

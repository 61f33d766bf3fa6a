package io.convoke.chaos.durable.rules;

import static io.convoke.chaos.durable.rules.TestHistory.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.durable.rules.FlowHistory.ExecutionRow;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rules of schedules, each with a history that violates it. */
final class ScheduleRulesTest {
  private final TestHistory history = new TestHistory();

  @Test
  void aRunForATickThatWasMissedBeforeTheLastRunIsFound() {
    assertThat(ticks(0, 100)).isEmpty();
    assertThat(ticks(0, 100, 1000, 1010, 2000, 2900)).isEmpty();
    assertThat(ticks(0, 3800, 4000, 4010)).isEmpty();
    assertThat(ticks(0, 3800, 1000, 3900))
        .singleElement()
        .asString()
        .contains("s made up for the tick of 2026-01-01T10:00:01Z");
  }

  /** The violations of runs, each with its tick and its start. */
  private List<String> ticks(long... millis) {
    history.events.clear();
    for (int i = 0; i < millis.length; i += 2) {
      history.event("s@" + at(millis[i]), 1, "Started", millis[i + 1]);
    }
    return history.found("MissedTickRule");
  }

  @Test
  void aRunThatDoesNotEndAsPlannedIsFound() {
    assertThat(ended(0, "Failed")).as("each third fails by plan").isEmpty();
    assertThat(ended(1000, "Completed")).isEmpty();
    assertThat(ended(0, "Completed")).containsExactly(ViolationKind.OPEN);
    assertThat(ended(1000, "Failed")).containsExactly(ViolationKind.OPEN);
    assertThat(ended(1000, "Running")).containsExactly(ViolationKind.OPEN);
  }

  /** The violations of a run of this tick, beside a schedule that goes on. */
  private List<ViolationKind> ended(long tick, String status) {
    history.executions.clear();
    history.executions.add(new ExecutionRow("schedule:s", 1, "Running", Optional.empty()));
    history.executions.add(new ExecutionRow("s@" + at(tick), 1, status, Optional.empty()));
    return history.kinds("MissedTickRule");
  }

  @Test
  void aScheduleOfFourSecondsHasTwoRunsLessOrMoreAtMost() {
    history.schedule = "s";
    assertThat(runs(1)).containsExactly("the schedule had 1 runs in 4 s");
    assertThat(runs(2)).isEmpty();
    assertThat(runs(6)).isEmpty();
    assertThat(runs(7)).hasSize(1);
  }

  private List<String> runs(int number) {
    history.executions.clear();
    history.executions.add(new ExecutionRow("other@" + at(0), 1, "Completed", Optional.empty()));
    for (int i = 0; i < number; i++) {
      history.executions.add(
          new ExecutionRow("s@" + at(1000L * i), 1, "Completed", Optional.empty()));
    }
    return history.found("ScheduleRule");
  }

  @Test
  void aRunThatBeginsBeforeTheLastHasEndedIsFound() {
    scheduled(1000, 1100, 2900);
    scheduled(2000, 2900, 3000);
    assertThat(history.found("RunOverlapRule")).isEmpty();
    scheduled(3000, 2999, 3100);
    assertThat(history.found("RunOverlapRule"))
        .singleElement()
        .asString()
        .contains("began at 2026-01-01T10:00:02.999Z, and s@2026-01-01T10:00:02Z ended at");
  }

  @Test
  void aLastRunThatIsShownOtherwiseOrNotAtAllIsFound() {
    for (long at = 1000; at < 6000; at += 1000) {
      scheduled(at, at, at + 10);
    }
    shown("s s@%s completed".formatted(at(2000)));
    assertThat(history.found("LastRunRule")).isEmpty();
    shown("s s@%s completed".formatted(at(1000)));
    assertThat(history.found("LastRunRule")).singleElement().asString().contains("does not show");
    shown("s s@%s failed".formatted(at(2000)));
    assertThat(history.found("LastRunRule"))
        .singleElement()
        .asString()
        .contains("shows a last run");
    shown("s s@%s completed".formatted(at(7000)));
    assertThat(history.found("LastRunRule")).hasSize(1);
  }

  private void shown(String text) {
    history.schedule = "s";
    history.lastRuns.clear();
    history.lastRuns.add(text);
  }

  /** A run with its tick, its start and its end. */
  private void scheduled(long tick, long start, long end) {
    history.event("s@" + at(tick), 1, "Started", start);
    history.event("s@" + at(tick), 1, "WorkflowCompleted", end);
  }
}

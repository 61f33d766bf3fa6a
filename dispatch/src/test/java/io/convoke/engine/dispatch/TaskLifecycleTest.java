package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.state.TransitionCoverage;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskLifecycleTest {
  private static final int MAX = 3;
  private static final List<TaskEvent> EVENTS =
      List.of(
          new TaskEvent.Claim(false),
          new TaskEvent.Claim(true),
          new TaskEvent.Renew(1),
          new TaskEvent.Complete(1),
          new TaskEvent.Fail(1),
          new TaskEvent.TryAgain(1, false),
          new TaskEvent.HandBack(1, true),
          new TaskEvent.Complete(MAX),
          new TaskEvent.Fail(MAX),
          new TaskEvent.TryAgain(MAX, false),
          new TaskEvent.HandBack(MAX, false),
          new TaskEvent.Stop(),
          new TaskEvent.Expire(),
          new TaskEvent.Reclaim(false),
          new TaskEvent.Overflow());

  private final TransitionCoverage<TaskStateSnapshot, TaskEvent> lifecycle =
      new TransitionCoverage<>(
          new TaskLifecycle(MAX),
          TaskLifecycle.TABLE,
          life -> life.state().name(),
          event -> event.getClass().getSimpleName());

  @Test
  void everyEventInEveryStateMovesAsTheTableSays() {
    for (TaskState state : TaskState.values()) {
      for (boolean stop : new boolean[] {false, true}) {
        for (int attempt : new int[] {1, MAX}) {
          TaskStateSnapshot life = new TaskStateSnapshot(state, stop, attempt, attempt);
          for (TaskEvent event : EVENTS) {
            LifecycleStep<TaskStateSnapshot> lifecycleStep = lifecycle.next(life, event);
            if (state.terminal()) {
              assertThat(lifecycleStep)
                  .as(life + " " + event)
                  .isNotInstanceOf(LifecycleStep.StateChanged.class);
            }
          }
        }
      }
    }
    lifecycle.verify();
  }

  /** A stopped task never waits or starts, in every order of events (dispatch-12). */
  @Test
  void stopDominatesInEveryOrder() {
    orders(TaskStateSnapshot.NEW, false, 6);
  }

  private void orders(TaskStateSnapshot life, boolean stopped, int depth) {
    if (depth == 0) {
      return;
    }
    for (TaskEvent event : EVENTS) {
      boolean now = stopped || (event instanceof TaskEvent.Stop && !life.state().terminal());
      TaskStateSnapshot next =
          lifecycle.next(life, event)
                  instanceof
                  LifecycleStep.StateChanged<TaskStateSnapshot>(TaskStateSnapshot to, var _)
              ? to
              : life;
      if (now) {
        assertThat(next.state()).isNotEqualTo(TaskState.PENDING);
        assertThat(next.attempt()).isEqualTo(life.attempt());
      }
      if (!next.state().terminal() && !next.equals(life)) {
        orders(next, now, depth - 1);
      }
    }
  }

  @Test
  void aTaskIsClaimedAtMostSoOftenAsItMay() {
    TaskStateSnapshot life = TaskStateSnapshot.NEW;
    for (int attempt = 1; attempt <= MAX; attempt++) {
      life = moved(life, new TaskEvent.Claim(false));
      assertThat(life.attempt()).isEqualTo(attempt);
      life = moved(life, new TaskEvent.Reclaim(false));
    }
    assertThat(life.state()).isEqualTo(TaskState.FAILED);
  }

  /** A long task survives the death of many pods, but not without limit. */
  @Test
  void anAttemptThatRanForLongBeginsTheCountAnewWithinABound() {
    TaskStateSnapshot life = TaskStateSnapshot.NEW;
    for (int attempt = 1; attempt <= TaskLifecycle.ATTEMPTS_EACH * (MAX - 1); attempt++) {
      life =
          moved(moved(life, new TaskEvent.Claim(false)), new TaskEvent.Reclaim(attempt % 2 == 0));
      assertThat(life.state()).isEqualTo(TaskState.PENDING);
    }
    life = moved(moved(life, new TaskEvent.Claim(false)), new TaskEvent.Reclaim(true));
    assertThat(life.state()).isEqualTo(TaskState.FAILED);
  }

  @Test
  void whatItsPodHandsBackHasNotFailed() {
    TaskStateSnapshot life = TaskStateSnapshot.NEW;
    for (int attempt = 1; attempt <= MAX; attempt++) {
      life = moved(life, new TaskEvent.Claim(false));
      life = moved(life, new TaskEvent.HandBack(attempt, false));
    }
    assertThat(life).isEqualTo(new TaskStateSnapshot(TaskState.PENDING, false, MAX, 0));
  }

  @Test
  void aReportOfAnEarlierAttemptIsRefused() {
    TaskStateSnapshot second = new TaskStateSnapshot(TaskState.PROCESSING, false, 2, 1);
    for (TaskEvent event :
        List.of(
            new TaskEvent.Renew(1),
            new TaskEvent.Complete(1),
            new TaskEvent.Fail(1),
            new TaskEvent.TryAgain(1, false),
            new TaskEvent.HandBack(1, false))) {
      assertThat(lifecycle.next(second, event)).isInstanceOf(LifecycleStep.EventRefused.class);
    }
  }

  @Test
  void aFailureEndsATaskAsFailedAndOneThatIsToStopAsDone() {
    TaskStateSnapshot runs = new TaskStateSnapshot(TaskState.PROCESSING, false, 1, 0);
    TaskStateSnapshot stops = moved(runs, new TaskEvent.Stop());
    assertThat(stops).isEqualTo(new TaskStateSnapshot(TaskState.PROCESSING, true, 1, 0));
    assertThat(lifecycle.next(stops, new TaskEvent.Stop()))
        .isInstanceOf(LifecycleStep.StateUnchanged.class);
    assertThat(moved(runs, new TaskEvent.Fail(1)).state()).isEqualTo(TaskState.FAILED);
    assertThat(moved(stops, new TaskEvent.Fail(1)).state()).isEqualTo(TaskState.SUCCESS);
  }

  @Test
  void theLastAttemptMayReportItsEndAgainAndNoOther() {
    TaskStateSnapshot done = new TaskStateSnapshot(TaskState.SUCCESS, false, 2, 1);
    assertThat(lifecycle.next(done, new TaskEvent.Complete(2)))
        .isInstanceOf(LifecycleStep.StateUnchanged.class);
    assertThat(lifecycle.next(done, new TaskEvent.Complete(1)))
        .isInstanceOf(LifecycleStep.EventRefused.class);
  }

  private TaskStateSnapshot moved(TaskStateSnapshot from, TaskEvent event) {
    LifecycleStep<TaskStateSnapshot> lifecycleStep = lifecycle.next(from, event);
    assertThat(lifecycleStep).isInstanceOf(LifecycleStep.StateChanged.class);
    return ((LifecycleStep.StateChanged<TaskStateSnapshot>) lifecycleStep).to();
  }
}

package io.convoke.server.sync;

import static io.convoke.server.sync.SyncStatus.FAILURE;
import static io.convoke.server.sync.SyncStatus.IN_PROGRESS;
import static io.convoke.server.sync.SyncStatus.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.state.TransitionCoverage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The reducer of a sync (docs/spec/sync.md). */
class SyncLifecycleTest {
  private static final Instant NOW = Instant.parse("2026-04-13T10:30:00Z");
  private static final Duration STALL_AFTER = Duration.ofMinutes(10);
  private static final List<String> JOBS = List.of("JobA", "JobB", "JobC");

  private final TransitionCoverage<SyncLifecycle.SyncState, SyncLifecycle.SyncEvent> lifecycle =
      new TransitionCoverage<>(
          new SyncLifecycle(),
          SyncLifecycle.TABLE,
          syncState -> syncState.record().status().wireName(),
          SyncLifecycle.SyncEvent::label);
  private SyncLifecycle.SyncState syncState = fresh();
  private Instant now = NOW;

  private static SyncLifecycle.SyncState fresh() {
    return new SyncLifecycle.SyncState(SyncRecord.notStarted("42", Optional.of(7L)), SeenJobs.NONE);
  }

  private LifecycleStep<SyncLifecycle.SyncState> tell(SyncUpdate update) {
    LifecycleStep<SyncLifecycle.SyncState> lifecycleStep =
        lifecycle.next(syncState, new SyncLifecycle.SyncEvent(update, now));
    if (lifecycleStep
        instanceof
        LifecycleStep.StateChanged<SyncLifecycle.SyncState>(SyncLifecycle.SyncState to, String _)) {
      assertThat(to.record().version()).isEqualTo(syncState.record().version() + 1);
      syncState = to;
    }
    return lifecycleStep;
  }

  private SyncRecord told(SyncUpdate update) {
    assertThat(tell(update)).as("%s", update).isInstanceOf(LifecycleStep.StateChanged.class);
    return syncState.record();
  }

  private void ignored(SyncUpdate update) {
    SyncLifecycle.SyncState before = syncState;
    assertThat(tell(update)).as("%s", update).isInstanceOf(LifecycleStep.StateUnchanged.class);
    assertThat(syncState).isSameAs(before);
  }

  private static Update plain(SyncStatus status) {
    return new Update(status, "", "", -1, -1);
  }

  /** Builds an update; empty and negative mean absent. */
  private record Update(SyncStatus status, String step, String job, long attempt, long seq) {
    Update step(String name) {
      return new Update(status, name, job, attempt, seq);
    }

    Update job(String id) {
      return new Update(status, step, id, attempt, seq);
    }

    Update at(long attemptNumber, long sequence) {
      return new Update(status, step, job, attemptNumber, sequence);
    }

    SyncUpdate it() {
      return new SyncUpdate.StatusPosted(
          status,
          Optional.of(step).filter(text -> !text.isEmpty()),
          Optional.of(job).filter(text -> !text.isEmpty()),
          Optional.of(attempt).filter(number -> number >= 0),
          Optional.of(seq).filter(number -> number >= 0),
          status == FAILURE ? Optional.of("the CRM said no") : Optional.empty(),
          "internal");
    }
  }

  private static SyncUpdate retry() {
    return new SyncUpdate.SyncRetryRequested(STALL_AFTER, "user:7");
  }

  private static SyncUpdate step(String name, SyncStatus status, SyncStatus whole) {
    return new SyncUpdate.StepReported(
        JOBS,
        name,
        status,
        Optional.empty(),
        "pipeline",
        new SyncUpdate.PipelinesReported(whole, Optional.empty()));
  }

  @Test
  void everyStateMeetsEveryUpdateAndEveryLegalMoveIsTaken() {
    List<SyncStatus> posted = List.of(IN_PROGRESS, SUCCESS, FAILURE);
    for (SyncStatus from : SyncStatus.values()) {
      for (SyncStatus to : posted) {
        syncState = in(from);
        assertThat(told(plain(to).it()).status()).isEqualTo(to);
        syncState = in(from);
        assertThat(told(step("JobA", to, to)).status()).isEqualTo(to);
      }
    }
    syncState = in(FAILURE);
    var _ = told(retry());
    syncState = in(IN_PROGRESS);
    now = NOW.plus(STALL_AFTER).plusSeconds(1);
    var _ = told(retry());
    lifecycle.verify();
  }

  private SyncLifecycle.SyncState in(SyncStatus status) {
    syncState = fresh();
    return status == SyncStatus.NOT_STARTED ? syncState : stateAfter(plain(status).it());
  }

  private SyncLifecycle.SyncState stateAfter(SyncUpdate update) {
    var _ = told(update);
    return syncState;
  }

  @Test
  void aStepThatBeginsTakesBackWhatTheStepsAfterItHadSaid() {
    for (String job : JOBS) {
      var _ = told(step(job, SUCCESS, SUCCESS));
    }
    var _ = told(step(JOBS.get(1), IN_PROGRESS, IN_PROGRESS));
    assertThat(syncState.record().steps().stream().map(StepState::step))
        .containsExactlyElementsOf(JOBS.subList(0, 2));
    var _ = told(step(JOBS.get(1), SUCCESS, IN_PROGRESS));
    var _ = told(step(JOBS.get(2), SUCCESS, SUCCESS));
    assertThat(syncState.record().steps().stream().map(StepState::step))
        .containsExactlyElementsOf(JOBS);
    assertThat(syncState.record().attempts()).isEqualTo(2);
  }

  @Test
  void theLifecycle() {
    assertThat(told(plain(IN_PROGRESS).step("JobA").it()).attempts()).isEqualTo(1);
    SyncRecord failed = told(plain(FAILURE).step("JobB").it());
    assertThat(failed.lastStep()).contains("JobB");
    assertThat(failed.errorMessage()).contains("the CRM said no");
    assertThat(failed.attempts()).as("counts attempts, not updates").isEqualTo(1);
    SyncRecord again = told(plain(IN_PROGRESS).step("JobB").it());
    assertThat(again.attempts()).isEqualTo(2);
    assertThat(again.errorMessage()).isEmpty();
    assertThat(told(plain(SUCCESS).step("JobC").it()).attempts()).isEqualTo(2);
    assertThat(syncState.record().steps().stream().map(StepState::step))
        .containsExactly("JobA", "JobB", "JobC");
  }

  @Test
  void whatAnUpdateLeavesOutIsKeptWithinItsAttempt() {
    SyncRecord begun = told(plain(IN_PROGRESS).step("JobA").job("j-1").it());
    SyncRecord ended = told(plain(FAILURE).it());
    assertThat(ended.lastStep()).contains("JobA");
    assertThat(ended.jobId()).contains("j-1");
    assertThat(ended.attemptAt()).isEqualTo(begun.attemptAt()).contains(NOW);
    SyncRecord again = told(retry());
    assertThat(again.lastStep()).isEmpty();
    assertThat(again.jobId()).isEmpty();
  }

  @Test
  void anAttemptKeepsTheTimeOfItsBeginning() {
    Instant later = NOW.plusSeconds(60);
    SyncRecord begun = told(plain(IN_PROGRESS).it());
    for (SyncUpdate update : List.of(plain(SUCCESS).it(), step("JobA", IN_PROGRESS, IN_PROGRESS))) {
      assertThat(
              lifecycle.next(syncState, new SyncLifecycle.SyncEvent(update, later))
                      instanceof
                      LifecycleStep.StateChanged<SyncLifecycle.SyncState>(
                          SyncLifecycle.SyncState to,
                          String _)
                  ? to.record().attemptAt()
                  : Optional.empty())
          .isEqualTo(begun.attemptAt())
          .contains(NOW);
    }
  }

  @Test
  void stepsCountAttemptsAsUpdatesDoAndOpenOneWithoutASequence() {
    assertThat(told(step("JobA", IN_PROGRESS, IN_PROGRESS)).attempt()).isEqualTo(1);
    assertThat(told(step("JobA", SUCCESS, IN_PROGRESS)).attempt()).isEqualTo(1);
    SyncRecord done = told(plain(SUCCESS).at(1, 4).it());
    assertThat(done.seq()).contains(4L);
    assertThat(told(step("JobB", SUCCESS, SUCCESS)).seq()).contains(4L);
    SyncRecord again = told(step("JobA", IN_PROGRESS, IN_PROGRESS));
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(again.seq()).isEmpty();
  }

  @Test
  void aLateUpdateChangesNothing() {
    var _ = told(plain(IN_PROGRESS).at(1, 1).it());
    var _ = told(plain(SUCCESS).at(1, 3).it());
    ignored(plain(IN_PROGRESS).at(1, 2).it());
    ignored(plain(FAILURE).at(1, 3).it());
    ignored(plain(FAILURE).at(0, 9).it());
    assertThat(told(plain(IN_PROGRESS).at(2, 1).it()).attempts()).isEqualTo(2);
    ignored(plain(FAILURE).at(1, 99).it());
    assertThat(told(plain(FAILURE).at(2, 2).it()).attempts()).isEqualTo(2);
  }

  @Test
  void anUpdateWithoutOrderIsTheNewest() {
    var _ = told(plain(SUCCESS).at(3, 7).it());
    assertThat(told(plain(FAILURE).it()).status()).isEqualTo(FAILURE);
    ignored(plain(SUCCESS).at(3, 6).it());
    assertThat(told(plain(IN_PROGRESS).it()).attempts()).isEqualTo(2);
    ignored(plain(SUCCESS).at(3, 8).it());
    assertThat(told(plain(SUCCESS).at(4, 1).it()).attempts()).as("attempt 4 runs").isEqualTo(2);
  }

  @Test
  void aJobsUpdateCountsOnce() {
    var _ = told(plain(IN_PROGRESS).job("j-1").it());
    ignored(plain(IN_PROGRESS).job("j-1").it());
    var _ = told(plain(SUCCESS).job("j-1").it());
    ignored(plain(IN_PROGRESS).job("j-1").it());
    ignored(plain(SUCCESS).job("j-1").it());
    assertThat(syncState.record().status()).isEqualTo(SUCCESS);
    assertThat(told(plain(IN_PROGRESS).job("j-1").at(2, -1).it()).attempts())
        .as("it says itself that it runs again")
        .isEqualTo(2);
    assertThat(told(plain(FAILURE).job("j-2").it()).jobId()).contains("j-2");
  }

  @Test
  void aRetryOpensTheNextAttemptAndWhatIsLateStaysOut() {
    var _ = told(plain(FAILURE).at(1, 4).it());
    SyncRecord begun = told(retry());
    assertThat(begun.status()).isEqualTo(IN_PROGRESS);
    assertThat(begun.attempts()).isEqualTo(2);
    assertThat(begun.lastSyncedBy()).contains("user:7");
    ignored(plain(FAILURE).at(1, 5).it());
    assertThat(tell(retry())).isInstanceOf(LifecycleStep.EventRefused.class);
    assertThat(told(plain(SUCCESS).at(2, 1).it()).attempts()).isEqualTo(2);
    assertThat(tell(retry())).isInstanceOf(LifecycleStep.EventRefused.class);
  }

  @Test
  void ofTwoRetriesOfAStalledSyncAtTheSameMomentOneOpensAnAttempt() {
    var _ = told(plain(IN_PROGRESS).it());
    now = NOW.plus(STALL_AFTER);
    assertThat(tell(retry())).isInstanceOf(LifecycleStep.EventRefused.class);
    now = now.plusSeconds(1);
    var _ = told(retry());
    assertThat(tell(retry())).isInstanceOf(LifecycleStep.EventRefused.class);
    assertThat(syncState.record().attempts()).isEqualTo(2);
  }

  @Test
  void theStatusIsWhatThePipelinesOfTheMeetingComeTo() {
    assertThat(told(step("JobA", SUCCESS, IN_PROGRESS)).status()).isEqualTo(IN_PROGRESS);
    assertThat(told(step("JobB", IN_PROGRESS, IN_PROGRESS)).status()).isEqualTo(IN_PROGRESS);
    assertThat(told(step("JobB", FAILURE, IN_PROGRESS)).status())
        .as("another pipeline is still at it")
        .isEqualTo(IN_PROGRESS);
    assertThat(told(step("JobC", SUCCESS, FAILURE)).status())
        .as("it is done, and that one is not")
        .isEqualTo(FAILURE);
    SyncRecord begun = told(retry());
    assertThat(begun.attempts()).isEqualTo(2);
    assertThat(told(step("JobB", SUCCESS, IN_PROGRESS)).status()).isEqualTo(IN_PROGRESS);
    assertThat(told(step("JobC", SUCCESS, SUCCESS)).status()).isEqualTo(SUCCESS);
    assertThat(syncState.record().attempts()).isEqualTo(2);
  }

  @Test
  void whatIsRememberedIsBounded() {
    for (int i = 0; i < 500; i++) {
      var _ = told(plain(IN_PROGRESS).step("s-" + i).job("j-" + i).it());
    }
    assertThat(syncState.record().steps()).hasSize(32);
    assertThat(syncState.seenJobs().jobs()).hasSize(96);
  }
}

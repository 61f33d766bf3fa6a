package io.convoke.server.sync;

import io.convoke.engine.state.Lifecycle;
import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.state.TransitionTable;
import io.convoke.engine.state.TransitionTable.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The reducer of a sync (docs/spec/sync.md). Pure: {@link SyncStore} alone writes the answer.
 *
 * <pre>
 *                          not_started       in_progress           success, failure
 * in_progress              -> in_progress    unchanged             -> in_progress, the next attempt
 * success                  -> success        -> success            -> success
 * failure                  -> failure        -> failure            -> failure
 * of a later attempt       the posted status, in that attempt, from every state
 * of an earlier attempt    nothing           nothing               nothing
 * same attempt, seq not
 *   larger than the last   nothing           nothing               nothing
 * job and status known     nothing           nothing               nothing, unless its attempt is later
 * step of a pipeline       the combined status of all pipelines, by the rows above; a step that
 *                          begins removes the states of the steps after it
 * retry                    refused           -> in_progress if it  failure -> in_progress, the next
 *                                            stalled, next attempt attempt; success refused
 * </pre>
 *
 * An update without attempt and seq counts as the newest. {@code in_progress} after an end opens
 * the next attempt only if the update does not name the attempt that has just ended. The first
 * update sets {@code attempts} to 1.
 */
final class SyncLifecycle implements Lifecycle<SyncLifecycle.SyncState, SyncLifecycle.SyncEvent> {
  /** The state of a meeting's sync. */
  record SyncState(SyncRecord record, SeenJobs seenJobs) {
    /** The same, waiting for a job of another system. */
    SyncState unanswered() {
      return new SyncState(record.asUnanswered(), seenJobs);
    }
  }

  /**
   * An update at the moment of its decision.
   *
   * @param at by the database's clock, under the row's lock
   */
  record SyncEvent(SyncUpdate update, Instant at) {
    String label() {
      return update.label();
    }
  }

  /** All legal transitions, by the labels used in the journal. */
  static final TransitionTable TABLE = TransitionTable.of(moves());

  @Override
  public LifecycleStep<SyncState> next(SyncState syncState, SyncEvent syncEvent) {
    return switch (syncEvent.update()) {
      case SyncUpdate.StatusPosted statusPosted -> posted(syncState, syncEvent, statusPosted);
      case SyncUpdate.StepReported stepReported -> stepped(syncState, syncEvent, stepReported);
      case SyncUpdate.SyncRetryRequested syncRetryRequested ->
          retry(syncState, syncEvent, syncRetryRequested);
    };
  }

  private static LifecycleStep<SyncState> posted(
      SyncState syncState, SyncEvent syncEvent, SyncUpdate.StatusPosted statusPosted) {
    SyncRecord record = syncState.record();
    boolean first = record.status() == SyncStatus.NOT_STARTED;
    if (first) {
      long attempt = statusPosted.attempt().orElse(1L);
      return move(
          syncState,
          syncEvent,
          statusPosted,
          new UpdatePosition(true, attempt, statusPosted.seq()));
    }
    Optional<Long> seenIn =
        statusPosted.jobId().flatMap(job -> syncState.seenJobs().seen(job, statusPosted.status()));
    if (seenIn.isPresent() && statusPosted.attempt().orElse(seenIn.get()) <= seenIn.get()) {
      return new LifecycleStep.StateUnchanged<>("duplicate update of this job");
    }
    long attempt = statusPosted.attempt().orElse(record.attempt());
    if (attempt < record.attempt()) {
      return new LifecycleStep.StateUnchanged<>("update of an earlier attempt");
    }
    if (attempt > record.attempt()) {
      return move(
          syncState,
          syncEvent,
          statusPosted,
          new UpdatePosition(true, attempt, statusPosted.seq()));
    }
    if (statusPosted.seq().isPresent()
        && statusPosted.seq().get() <= record.seq().orElse(Long.MIN_VALUE)) {
      return new LifecycleStep.StateUnchanged<>("older than the last update");
    }
    boolean opens =
        statusPosted.attempt().isEmpty()
            && record.status().terminal()
            && statusPosted.status() == SyncStatus.IN_PROGRESS;
    UpdatePosition updatePosition =
        opens
            ? new UpdatePosition(true, attempt + 1, statusPosted.seq())
            : new UpdatePosition(false, attempt, statusPosted.seq().or(record::seq));
    return move(syncState, syncEvent, statusPosted, updatePosition);
  }

  private static LifecycleStep<SyncState> stepped(
      SyncState syncState, SyncEvent syncEvent, SyncUpdate.StepReported stepReported) {
    SyncRecord record = syncState.record();
    boolean opens =
        record.status() == SyncStatus.NOT_STARTED
            || (record.status().terminal()
                && stepReported.whole().status() == SyncStatus.IN_PROGRESS);
    long attempt = opens ? record.attempt() + 1 : record.attempt();
    StepState updated =
        new StepState(
            stepReported.step(),
            stepReported.status(),
            syncEvent.at(),
            attempt,
            Optional.empty(),
            stepReported.errorMessage());
    List<StepState> known =
        stepReported.status() == SyncStatus.IN_PROGRESS
            ? StepState.withoutLater(record.steps(), stepReported.declared(), stepReported.step())
            : record.steps();
    List<StepState> steps = StepState.with(known, updated);
    SyncUpdate.StatusPosted statusPosted =
        new SyncUpdate.StatusPosted(
            stepReported.whole().status(),
            Optional.of(stepReported.step()),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            stepReported.whole().errorMessage(),
            stepReported.by());
    UpdatePosition updatePosition =
        new UpdatePosition(opens, attempt, opens ? Optional.empty() : record.seq());
    return move(syncState, syncEvent, statusPosted, updatePosition, steps);
  }

  private static LifecycleStep<SyncState> retry(
      SyncState syncState, SyncEvent syncEvent, SyncUpdate.SyncRetryRequested syncRetryRequested) {
    SyncRecord record = syncState.record();
    boolean wanted =
        record.status() == SyncStatus.FAILURE
            || SyncView.stalled(record, syncEvent.at(), syncRetryRequested.stallAfter());
    if (!wanted) {
      return new LifecycleStep.EventRefused<>("only a failed or stalled sync can be retried");
    }
    SyncUpdate.StatusPosted begun =
        new SyncUpdate.StatusPosted(
            SyncStatus.IN_PROGRESS,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            syncRetryRequested.by());
    UpdatePosition updatePosition =
        new UpdatePosition(true, record.attempt() + 1, Optional.empty());
    return move(syncState, syncEvent, begun, updatePosition);
  }

  /** The attempt and sequence number of an update, and whether it opens the attempt. */
  private record UpdatePosition(boolean opens, long attempt, Optional<Long> seq) {}

  private static LifecycleStep<SyncState> move(
      SyncState syncState,
      SyncEvent syncEvent,
      SyncUpdate.StatusPosted statusPosted,
      UpdatePosition updatePosition,
      List<StepState> steps) {
    SyncRecord record = syncState.record();
    SyncRecord next =
        new SyncRecord(
            record.meetingId(),
            record.userId(),
            statusPosted.status(),
            Optional.of(syncEvent.at()),
            kept(statusPosted.step(), record.lastStep(), updatePosition),
            record.attempts() + (updatePosition.opens() ? 1 : 0),
            statusPosted.errorMessage(),
            record.version() + 1,
            Optional.of(statusPosted.by()),
            kept(statusPosted.jobId(), record.jobId(), updatePosition),
            updatePosition.attempt(),
            updatePosition.seq(),
            steps,
            updatePosition.opens() ? Optional.of(syncEvent.at()) : record.attemptAt(),
            Optional.empty());
    SeenJobs seen =
        syncState
            .seenJobs()
            .with(statusPosted.jobId(), statusPosted.status(), updatePosition.attempt());
    return new LifecycleStep.StateChanged<>(new SyncState(next, seen), syncEvent.label());
  }

  private static LifecycleStep<SyncState> move(
      SyncState syncState,
      SyncEvent syncEvent,
      SyncUpdate.StatusPosted statusPosted,
      UpdatePosition updatePosition) {
    List<StepState> known = syncState.record().steps();
    List<StepState> steps =
        statusPosted
            .step()
            .map(
                step ->
                    new StepState(
                        step,
                        statusPosted.status(),
                        syncEvent.at(),
                        updatePosition.attempt(),
                        statusPosted.jobId(),
                        statusPosted.errorMessage()))
            .map(updated -> StepState.with(known, updated))
            .orElse(known);
    return move(syncState, syncEvent, statusPosted, updatePosition, steps);
  }

  /** Values that an update omits are kept within its attempt. */
  private static Optional<String> kept(
      Optional<String> updated, Optional<String> known, UpdatePosition updatePosition) {
    return updatePosition.opens() ? updated : updated.or(() -> known);
  }

  private static List<Transition> moves() {
    List<Transition> moves = new ArrayList<>();
    for (SyncStatus from : SyncStatus.values()) {
      for (SyncStatus to :
          List.of(SyncStatus.IN_PROGRESS, SyncStatus.SUCCESS, SyncStatus.FAILURE)) {
        moves.add(new Transition(from.wireName(), to.wireName(), to.wireName()));
        moves.add(new Transition(from.wireName(), "step", to.wireName()));
      }
    }
    moves.add(new Transition("failure", "retry", "in_progress"));
    moves.add(new Transition("in_progress", "retry", "in_progress"));
    return moves;
  }
}

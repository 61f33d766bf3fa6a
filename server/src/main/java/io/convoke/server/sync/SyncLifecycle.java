package io.convoke.server.sync;

import io.convoke.engine.state.Lifecycle;
import io.convoke.engine.state.Step;
import io.convoke.engine.state.TransitionTable;
import io.convoke.engine.state.TransitionTable.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The one reducer of a sync (CONTRACT.md, "Sync status"). Pure: {@link SyncStore} alone writes the
 * answer.
 *
 * <pre>
 *                          not_started       in_progress           success, failure
 * in_progress              -> in_progress    goes on               -> in_progress, the next attempt
 * success                  -> success        -> success            -> success
 * failure                  -> failure        -> failure            -> failure
 * of a later attempt       the posted status, in that attempt, from every state
 * of an earlier attempt    nothing           nothing               nothing
 * same attempt, seq not
 *   larger than the last   nothing           nothing               nothing
 * job and status known     nothing           nothing               nothing, unless its attempt is later
 * step of a pipeline       what all pipelines of the meeting come to, by the rows above; one that
 *                          begins takes back what was told of the steps after it
 * retry                    refused           -> in_progress if it  failure -> in_progress, the next
 *                                            stalled, next attempt attempt; success refused
 * </pre>
 *
 * An update without attempt and seq is the newest there is. In progress after an end opens the next
 * attempt only where the update does not name the attempt that has just ended. The first update
 * makes {@code attempts} 1.
 */
final class SyncLifecycle implements Lifecycle<SyncLifecycle.State, SyncLifecycle.Event> {
  /** What the reducer knows of a meeting. */
  record State(SyncRecord record, SeenJobs seenJobs) {}

  /**
   * An update at the moment of its decision.
   *
   * @param at by the database's clock, under the row's lock
   */
  record Event(SyncUpdate update, Instant at) {
    String label() {
      return update.label();
    }
  }

  /** Every legal move, by the names of the journal. */
  static final TransitionTable TABLE = TransitionTable.of(moves());

  @Override
  public Step<State> next(State state, Event event) {
    return switch (event.update()) {
      case SyncUpdate.Posted posted -> posted(state, event, posted);
      case SyncUpdate.Stepped stepped -> stepped(state, event, stepped);
      case SyncUpdate.Retry retry -> retry(state, event, retry);
    };
  }

  private static Step<State> posted(State state, Event event, SyncUpdate.Posted posted) {
    SyncRecord record = state.record();
    boolean first = record.status() == SyncStatus.NOT_STARTED;
    if (first) {
      long attempt = posted.attempt().orElse(1L);
      return move(state, event, posted, new Place(true, attempt, posted.seq()));
    }
    Optional<Long> seenIn =
        posted.jobId().flatMap(job -> state.seenJobs().seen(job, posted.status()));
    if (seenIn.isPresent() && posted.attempt().orElse(seenIn.get()) <= seenIn.get()) {
      return new Step.Stay<>("this job has told this before");
    }
    long attempt = posted.attempt().orElse(record.attempt());
    if (attempt < record.attempt()) {
      return new Step.Stay<>("from an attempt that is over");
    }
    if (attempt > record.attempt()) {
      return move(state, event, posted, new Place(true, attempt, posted.seq()));
    }
    if (posted.seq().isPresent() && posted.seq().get() <= record.seq().orElse(Long.MIN_VALUE)) {
      return new Step.Stay<>("older than what is known");
    }
    boolean opens =
        posted.attempt().isEmpty()
            && record.status().terminal()
            && posted.status() == SyncStatus.IN_PROGRESS;
    Place place =
        opens
            ? new Place(true, attempt + 1, posted.seq())
            : new Place(false, attempt, posted.seq().or(record::seq));
    return move(state, event, posted, place);
  }

  private static Step<State> stepped(State state, Event event, SyncUpdate.Stepped stepped) {
    SyncRecord record = state.record();
    boolean opens =
        record.status() == SyncStatus.NOT_STARTED
            || (record.status().terminal() && stepped.whole().status() == SyncStatus.IN_PROGRESS);
    long attempt = opens ? record.attempt() + 1 : record.attempt();
    StepState told =
        new StepState(
            stepped.step(),
            stepped.status(),
            event.at(),
            attempt,
            Optional.empty(),
            stepped.errorMessage());
    List<StepState> known =
        stepped.status() == SyncStatus.IN_PROGRESS
            ? StepState.withoutLater(record.steps(), stepped.declared(), stepped.step())
            : record.steps();
    List<StepState> steps = StepState.with(known, told);
    SyncUpdate.Posted posted =
        new SyncUpdate.Posted(
            stepped.whole().status(),
            Optional.of(stepped.step()),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            stepped.whole().errorMessage(),
            stepped.by());
    Place place = new Place(opens, attempt, opens ? Optional.empty() : record.seq());
    return move(state, event, posted, place, steps);
  }

  private static Step<State> retry(State state, Event event, SyncUpdate.Retry retry) {
    SyncRecord record = state.record();
    boolean wanted =
        record.status() == SyncStatus.FAILURE
            || (record.status() == SyncStatus.IN_PROGRESS && retry.stalled());
    if (!wanted) {
      return new Step.Refuse<>("only a sync that failed or stands still can be tried again");
    }
    SyncUpdate.Posted begun =
        new SyncUpdate.Posted(
            SyncStatus.IN_PROGRESS,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            retry.by());
    Place place = new Place(true, record.attempt() + 1, Optional.empty());
    return move(state, event, begun, place);
  }

  /** Where an update belongs. */
  private record Place(boolean opens, long attempt, Optional<Long> seq) {}

  private static Step<State> move(
      State state, Event event, SyncUpdate.Posted posted, Place place, List<StepState> steps) {
    SyncRecord record = state.record();
    SyncRecord next =
        new SyncRecord(
            record.meetingId(),
            record.userId(),
            posted.status(),
            Optional.of(event.at()),
            kept(posted.step(), record.lastStep(), place),
            record.attempts() + (place.opens() ? 1 : 0),
            posted.errorMessage(),
            record.version() + 1,
            Optional.of(posted.by()),
            kept(posted.jobId(), record.jobId(), place),
            place.attempt(),
            place.seq(),
            steps,
            place.opens() ? Optional.of(event.at()) : record.attemptAt());
    SeenJobs seen = state.seenJobs().with(posted.jobId(), posted.status(), place.attempt());
    return new Step.Move<>(new State(next, seen), event.label());
  }

  private static Step<State> move(State state, Event event, SyncUpdate.Posted posted, Place place) {
    List<StepState> known = state.record().steps();
    List<StepState> steps =
        posted
            .step()
            .map(
                step ->
                    new StepState(
                        step,
                        posted.status(),
                        event.at(),
                        place.attempt(),
                        posted.jobId(),
                        posted.errorMessage()))
            .map(told -> StepState.with(known, told))
            .orElse(known);
    return move(state, event, posted, place, steps);
  }

  /** What an update leaves out stays as it was, within its attempt. */
  private static Optional<String> kept(Optional<String> told, Optional<String> known, Place place) {
    return place.opens() ? told : told.or(() -> known);
  }

  private static List<Transition> moves() {
    List<Transition> moves = new ArrayList<>();
    for (SyncStatus from : SyncStatus.values()) {
      for (SyncStatus to :
          List.of(SyncStatus.IN_PROGRESS, SyncStatus.SUCCESS, SyncStatus.FAILURE)) {
        moves.add(new Transition(from.word(), to.word(), to.word()));
        moves.add(new Transition(from.word(), "step", to.word()));
      }
    }
    moves.add(new Transition("failure", "retry", "in_progress"));
    moves.add(new Transition("in_progress", "retry", "in_progress"));
    return moves;
  }
}

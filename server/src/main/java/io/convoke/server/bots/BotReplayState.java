package io.convoke.server.bots;

import io.convoke.engine.state.LifecycleStep;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Instant;
import java.util.Optional;

/**
 * A bot's state replayed from the journal by the reducer, with the times that each transition sets.
 * Pure. Times are in milliseconds, as in the journal.
 *
 * @param moves the number of transitions: the row's version
 */
record BotReplayState(
    BotState state,
    int attempt,
    long moves,
    Instant enteredAt,
    Optional<Instant> startTime,
    Optional<Instant> admittedAt,
    Optional<Instant> endTime) {
  private static final BotLifecycle LIFECYCLE = new BotLifecycle();

  /** One move of the journal. */
  record JournalMove(
      MeetingStatus from,
      MeetingStatus to,
      String reason,
      BotEvent event,
      int attempt,
      Instant at) {}

  /** A reservation. */
  static BotReplayState reserved(int attempt, Instant at) {
    return new BotReplayState(
        BotState.RESERVED, attempt, 0, at, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** A user requested the stop. */
  BotReplayState stopWanted() {
    return new BotReplayState(
        new BotState(state.status(), true, state.admitted(), state.outcome()),
        attempt,
        moves,
        enteredAt,
        startTime,
        admittedAt,
        endTime);
  }

  /** Applies a transition, or returns why the reducer would not have made it. */
  MoveReplay after(JournalMove journalMove) {
    if (journalMove.from() != state.status()) {
      return new MoveReplay.MoveDiffers(
          "moves it from %s, it was %s"
              .formatted(journalMove.from().wireName(), state.status().wireName()));
    }
    return switch (LIFECYCLE.next(state, journalMove.event())) {
      case LifecycleStep.StateChanged<BotState>(BotState to, String reason)
          when to.status() == journalMove.to() && reason.equals(journalMove.reason()) ->
          new MoveReplay.MoveConfirmed(moved(to, journalMove));
      case LifecycleStep.StateChanged<BotState>(BotState to, String reason) ->
          new MoveReplay.MoveDiffers(
              "moves it to %s (%s), the reducer to %s (%s)"
                  .formatted(
                      journalMove.to().wireName(),
                      journalMove.reason(),
                      to.status().wireName(),
                      reason));
      case LifecycleStep.StateUnchanged<BotState>(String reason) ->
          new MoveReplay.MoveDiffers("moves it, to the reducer nothing happens: " + reason);
      case LifecycleStep.EventRefused<BotState>(String reason) ->
          new MoveReplay.MoveDiffers("moves it, the reducer refuses: " + reason);
    };
  }

  /** The result of replaying one transition. */
  sealed interface MoveReplay {
    /** The reducer makes the same transition. */
    record MoveConfirmed(BotReplayState life) implements MoveReplay {}

    /** The reducer makes another one, or none. */
    record MoveDiffers(String why) implements MoveReplay {}
  }

  private BotReplayState moved(BotState to, JournalMove journalMove) {
    Optional<Instant> now = Optional.of(journalMove.at());
    return new BotReplayState(
        to,
        journalMove.attempt(),
        moves + 1,
        journalMove.at(),
        to.status() == MeetingStatus.STARTING ? startTime.or(() -> now) : startTime,
        to.admitted() ? admittedAt.or(() -> now) : admittedAt,
        to.status().terminal() ? now : endTime);
  }
}

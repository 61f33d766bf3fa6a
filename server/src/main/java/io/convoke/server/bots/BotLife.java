package io.convoke.server.bots;

import io.convoke.engine.state.Step;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Instant;
import java.util.Optional;

/**
 * A bot's state replayed from the journal by the reducer, with the times that each transition sets.
 * Pure. Times are in milliseconds, as in the journal. @param moves the number of transitions: the
 * row's version
 */
record BotLife(
    BotState state,
    int attempt,
    long moves,
    Instant enteredAt,
    Optional<Instant> startTime,
    Optional<Instant> admittedAt,
    Optional<Instant> endTime) {
  private static final BotLifecycle LIFECYCLE = new BotLifecycle();

  /** One move of the journal. */
  record Move(
      MeetingStatus from,
      MeetingStatus to,
      String reason,
      BotEvent event,
      int attempt,
      Instant at) {}

  /** A reservation. */
  static BotLife reserved(int attempt, Instant at) {
    return new BotLife(
        BotState.RESERVED, attempt, 0, at, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** A user requested the stop. */
  BotLife stopWanted() {
    return new BotLife(
        new BotState(state.status(), true, state.admitted(), state.outcome()),
        attempt,
        moves,
        enteredAt,
        startTime,
        admittedAt,
        endTime);
  }

  /** The life after a move, or why the reducer would not have made it. */
  Replayed after(Move move) {
    if (move.from() != state.status()) {
      return new Replayed.Wrong(
          "moves it from %s, it was %s".formatted(move.from().word(), state.status().word()));
    }
    return switch (LIFECYCLE.next(state, move.event())) {
      case Step.Move<BotState>(BotState to, String reason)
          when to.status() == move.to() && reason.equals(move.reason()) ->
          new Replayed.Right(moved(to, move));
      case Step.Move<BotState>(BotState to, String reason) ->
          new Replayed.Wrong(
              "moves it to %s (%s), the reducer to %s (%s)"
                  .formatted(move.to().word(), move.reason(), to.status().word(), reason));
      case Step.Stay<BotState>(String reason) ->
          new Replayed.Wrong("moves it, to the reducer nothing happens: " + reason);
      case Step.Refuse<BotState>(String reason) ->
          new Replayed.Wrong("moves it, the reducer refuses: " + reason);
    };
  }

  /** The result of replaying one transition. */
  sealed interface Replayed {
    /** The reducer makes the same of it. */
    record Right(BotLife life) implements Replayed {}

    /** It does not. */
    record Wrong(String why) implements Replayed {}
  }

  private BotLife moved(BotState to, Move move) {
    Optional<Instant> now = Optional.of(move.at());
    return new BotLife(
        to,
        move.attempt(),
        moves + 1,
        move.at(),
        to.status() == MeetingStatus.STARTING ? startTime.or(() -> now) : startTime,
        to.admitted() ? admittedAt.or(() -> now) : admittedAt,
        to.status().terminal() ? now : endTime);
  }
}

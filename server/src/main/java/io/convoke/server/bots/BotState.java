package io.convoke.server.bots;

import io.convoke.server.meetings.MeetingStatus;
import java.util.Optional;

/**
 * The reducer's state of one bot, read from its meeting row.
 *
 * @param stopRequested whether a user requested its end; desired state, never a status
 * @param admitted whether the bot ever reported that it was admitted: without this no end is {@code
 *     completed}
 * @param outcome how it ended, present exactly in the terminal states
 */
public record BotState(
    MeetingStatus status, boolean stopRequested, boolean admitted, Optional<BotOutcome> outcome) {

  /** A fresh reservation. */
  public static final BotState RESERVED =
      new BotState(MeetingStatus.RESERVED, false, false, Optional.empty());

  BotState to(MeetingStatus next) {
    return new BotState(
        next, stopRequested, admitted || next == MeetingStatus.ACTIVE, Optional.empty());
  }

  BotState ended(MeetingStatus end, BotOutcome how) {
    return new BotState(end, stopRequested, admitted, Optional.of(how));
  }
}

package io.convoke.server.bots;

import io.convoke.server.meetings.MeetingStatus;
import java.util.Optional;

/**
 * How a bot's meeting ended and who is responsible: {@code data.outcome} of a terminal meeting.
 *
 * @param reason a stable word such as {@code stopped}, {@code everyone_left}, {@code start_failed}
 * @param exitCode of the bot's process, where known
 * @param stage the status that it ended from
 */
public record BotOutcome(
    String reason,
    OutcomeAttribution attribution,
    Optional<Integer> exitCode,
    MeetingStatus stage) {

  /** The party responsible for the end. */
  public enum OutcomeAttribution {
    /** The user who sent the bot. */
    USER,
    /** The people in the meeting: they left, never came, or did not let it in. */
    HOST,
    /** The meeting platform. */
    PLATFORM,
    /** Convoke itself: bot, launcher, control plane. */
    US
  }
}

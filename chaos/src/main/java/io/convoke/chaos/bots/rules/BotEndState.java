package io.convoke.chaos.bots.rules;

import java.time.Instant;
import java.util.Optional;

/**
 * A bot's row.
 *
 * @param orders rows that order what follows the meeting
 * @param honest whether it was launched as it should be
 */
public record BotEndState(
    long meetingId,
    long userId,
    String room,
    String status,
    String connectionId,
    Optional<Instant> startTime,
    Optional<Instant> admittedAt,
    Optional<Instant> endTime,
    Optional<Instant> stopRequestedAt,
    Optional<String> reason,
    int orders,
    boolean honest) {

  public boolean over() {
    return status.equals("completed") || status.equals("failed");
  }
}

package io.convoke.chaos.bots.rules;

import java.time.Instant;
import java.util.Optional;

/**
 * A bot's row after the run.
 *
 * @param orders rows that enqueue the meeting's post-processing
 * @param honest whether the launcher started it normally
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

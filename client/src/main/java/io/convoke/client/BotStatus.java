package io.convoke.client;

import java.time.Instant;
import java.util.Optional;

/**
 * The status of a bot.
 *
 * @param owner who must move it on: launcher, bot; empty once it has ended
 * @param deadline when it is overdue; empty once it has ended
 */
public record BotStatus(
    long meetingId,
    String status,
    Optional<String> substatus,
    Instant stateEnteredAt,
    Optional<Instant> deadline,
    Optional<String> owner,
    int attempt,
    String desired,
    Optional<Instant> startAt,
    Optional<Instant> lastHeartbeat) {}

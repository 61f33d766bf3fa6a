package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A {@code BotStatusReport} of the API.
 *
 * @param status One of reserved, starting, active, stopping, completed, failed.
 * @param substatus One of queued, awaiting_admission.
 */
public record BotStatusReport(
    long meetingId,
    String status,
    Instant stateEnteredAt,
    Optional<Instant> deadline,
    Optional<String> owner,
    String sessionUid,
    long attempt,
    String desired,
    Optional<Instant> startAt,
    Optional<Instant> lastHeartbeat,
    List<WaitingCommand> pendingCommands,
    Optional<String> substatus,
    Optional<Instant> lobbySince,
    Optional<QueuePlace> queue,
    Optional<Instant> lifeEndsAt,
    Optional<ReportedProgress> progress,
    Optional<BotEndRequest> endRequest,
    Optional<BotSettingsReport> lastChange) {}

package io.convoke.client;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A meeting, with its bot if it has one.
 *
 * @param platformSpecificId the platform's own name of the meeting or room
 * @param status requested, reserved, starting, active, stopping, completed or failed
 * @param substatus queued or awaiting_admission
 * @param numClients how many are in it
 * @param tracked whether presence is recorded without a bot
 * @param data free-form; {@code outcome} once a bot has ended
 */
public record Meeting(
    long id,
    long userId,
    String platform,
    String platformSpecificId,
    String status,
    Optional<String> substatus,
    Optional<String> botContainerId,
    Optional<Instant> startTime,
    Optional<Instant> endTime,
    int numClients,
    boolean tracked,
    JsonNode data,
    Instant createdAt,
    Instant updatedAt) {}

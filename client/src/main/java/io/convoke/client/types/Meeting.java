package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A {@code Meeting} of the API.
 *
 * @param status One of reserved, starting, active, stopping, completed, failed.
 * @param substatus One of queued, awaiting_admission.
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
    long numClients,
    boolean tracked,
    JsonNode data,
    Instant createdAt,
    Instant updatedAt) {}

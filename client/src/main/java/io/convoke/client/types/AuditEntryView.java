package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A {@code AuditEntryView} of the API. */
public record AuditEntryView(
    Instant at,
    String action,
    String actor,
    Optional<Long> keyId,
    String address,
    String target,
    JsonNode before,
    JsonNode after) {}

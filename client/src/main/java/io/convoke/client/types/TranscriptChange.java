package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code TranscriptChange} of the API. */
public record TranscriptChange(
    long id,
    Instant at,
    String actor,
    Optional<Long> segmentId,
    String field,
    Optional<String> before,
    Optional<String> after) {}

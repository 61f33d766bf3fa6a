package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code ReportedProgress} of the API. */
public record ReportedProgress(
    Optional<Double> audioSeconds,
    Optional<Long> participants,
    Optional<Instant> lastSpeechAt,
    Optional<Instant> growsSince,
    Optional<Instant> stalledSince) {}

package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A {@code Segment} of the API. */
public record Segment(
    long id,
    double start,
    double end,
    String text,
    Optional<String> speaker,
    Optional<String> language,
    Optional<String> sessionUid,
    Instant createdAt,
    Optional<Instant> saidAt,
    boolean completed,
    Optional<Double> confidence,
    Optional<List<SegmentToken>> words,
    Optional<Double> levelDb) {}

package io.convoke.client.types;

import java.util.Optional;

/** A {@code SegmentToken} of the API. */
public record SegmentToken(
    String text,
    double start,
    double end,
    Optional<Double> confidence) {}

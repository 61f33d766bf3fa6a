package io.convoke.client.types;

import java.util.Optional;

/** A {@code SearchHit} of the API. */
public record SearchHit(
    long meetingId,
    long segmentId,
    double start,
    Optional<String> speaker,
    String text,
    String highlight) {}

package io.convoke.client;

import java.util.Optional;

/**
 * A segment that a search found.
 *
 * @param start in seconds of its session
 * @param highlight the text as HTML, escaped, with {@code <mark>} around what was found
 */
public record SearchHit(
    long meetingId,
    long segmentId,
    double start,
    Optional<String> speaker,
    String text,
    String highlight) {}

package io.convoke.server.transcripts;

import java.util.Optional;

/**
 * A segment that was found.
 *
 * @param start in seconds of its session
 * @param highlight the text as HTML, escaped, with {@code <mark>} around the words that were found
 */
record SearchHit(
    long meetingId,
    long segmentId,
    double start,
    Optional<String> speaker,
    String text,
    String highlight) {}

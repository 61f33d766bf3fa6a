package io.convoke.client;

import java.time.Instant;
import java.util.Optional;

/**
 * A part of a transcript.
 *
 * @param start in seconds of its session
 * @param completed false for a draft, which a later one replaces
 */
public record TranscriptSegment(
    long id,
    double start,
    double end,
    String text,
    Optional<String> speaker,
    Optional<String> language,
    Optional<String> sessionUid,
    Optional<Instant> saidAt,
    boolean completed) {}

package io.convoke.client.types;

import java.util.List;
import java.util.Optional;

/** A {@code TranscriptView} of the API. */
public record TranscriptView(
    long meetingId,
    List<Segment> segments,
    boolean partial,
    Optional<String> nextCursor) {}

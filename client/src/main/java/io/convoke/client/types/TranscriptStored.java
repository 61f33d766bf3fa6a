package io.convoke.client.types;

import java.util.List;

/**
 * A {@code TranscriptStored} of the API.
 *
 * @param replaces True voids the session's segments.
 */
public record TranscriptStored(
    long meetingId,
    String sessionUid,
    boolean replaces,
    List<EventSegment> segments) {}

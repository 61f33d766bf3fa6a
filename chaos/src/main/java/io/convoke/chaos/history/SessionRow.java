package io.convoke.chaos.history;

import java.time.Instant;
import java.util.Optional;

/** A session's row after the run. */
public record SessionRow(
    long meetingId, String sessionId, Instant joinedAt, Optional<Instant> leftAt) {}

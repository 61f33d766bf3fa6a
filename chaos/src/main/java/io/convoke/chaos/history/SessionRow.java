package io.convoke.chaos.history;

import java.time.Instant;
import java.util.Optional;

/** What the server wrote down about one stay, when all was over. */
public record SessionRow(
    long meetingId, String sessionId, Instant joinedAt, Optional<Instant> leftAt) {}

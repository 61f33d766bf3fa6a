package io.convoke.chaos.recordings.rules;

import java.util.Optional;

/** A recording's move as the journal tells it; without a beginning for the first one. */
public record RecordingMove(long seq, String id, Optional<String> from, String to, int run) {}

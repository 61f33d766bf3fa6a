package io.convoke.chaos.recordings.rules;

import java.util.Optional;

/** A recording's transition in the journal; the first has no previous status. */
public record RecordingTransition(long seq, String id, Optional<String> from, String to, int run) {}

package io.convoke.lab.chaos.recordings.verdict;

import java.util.Optional;

/** A recording's move as the journal tells it; without a beginning for the first one. */
public record Move(long seq, String id, Optional<String> from, String to, int run) {}

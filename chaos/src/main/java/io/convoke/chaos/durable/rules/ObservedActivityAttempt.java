package io.convoke.chaos.durable.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * An attempt of an activity, as logged outside of the database.
 *
 * @param process the node's process, a new one after each restart
 * @param skew how far the node's clock was ahead of the others' when it began
 * @param ended when it was done; empty if it failed or died
 */
public record ObservedActivityAttempt(
    String process,
    String key,
    int attempt,
    Instant startedAt,
    Duration skew,
    Optional<Instant> ended) {}

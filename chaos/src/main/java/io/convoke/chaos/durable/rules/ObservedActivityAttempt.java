package io.convoke.chaos.durable.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * An attempt of an activity, as it told the world outside.
 *
 * @param process which life of which node
 * @param skew how far the node's clock was ahead of the others' when it began
 * @param ended when it had done all that it had to; empty if it failed or died
 */
public record ObservedActivityAttempt(
    String process,
    String key,
    int attempt,
    Instant startedAt,
    Duration skew,
    Optional<Instant> ended) {}

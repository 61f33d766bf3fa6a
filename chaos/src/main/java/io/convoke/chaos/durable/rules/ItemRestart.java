package io.convoke.chaos.durable.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A work item that a node held when it was killed.
 *
 * @param elapsed until another node began it; empty if the victim's last word had ended it
 * @param alone whether nothing but the kill stood in the way
 */
public record ItemRestart(
    String node, Instant killed, String key, Optional<Duration> elapsed, boolean alone) {}

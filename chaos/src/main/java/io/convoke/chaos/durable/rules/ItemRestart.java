package io.convoke.chaos.durable.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A work item that was locked by a node when it was killed.
 *
 * @param elapsed until another node began it; empty if the node's last ack had completed it
 * @param alone whether there was no other fault at the time
 */
public record ItemRestart(
    String node, Instant killed, String key, Optional<Duration> elapsed, boolean alone) {}

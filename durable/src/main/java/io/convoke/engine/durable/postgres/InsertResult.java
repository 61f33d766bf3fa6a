package io.convoke.engine.durable.postgres;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a write left in a queue.
 *
 * @param earliest the earliest visible_at of what everybody may claim
 * @param handed what was locked for this node, in the order of its queueing
 */
record InsertResult<T>(Optional<Instant> earliest, List<ClaimedItem<T>> handed) {}

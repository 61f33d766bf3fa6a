package io.convoke.engine.durable.postgres;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of an insert into a queue.
 *
 * @param earliest the earliest visible_at of the unlocked items
 * @param handed the items locked for this node, in the order of their insert
 */
record InsertResult<T>(Optional<Instant> earliest, List<ClaimedItem<T>> handed) {}

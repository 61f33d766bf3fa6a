package io.convoke.engine.durable.postgres;

import java.time.Instant;

/**
 * An item with its lock.
 *
 * @param visibleAt when it may be handed out; a little ahead if it was claimed early
 * @param now the store's time at the claim
 */
record ClaimedItem<T>(T item, Instant visibleAt, Instant now) {}

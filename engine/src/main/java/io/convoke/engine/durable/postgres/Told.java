package io.convoke.engine.durable.postgres;

import java.time.Instant;
import java.util.Optional;

/**
 * What a write made visible.
 *
 * @param earliest the earliest visible_at that was written, if any
 * @param now the store's time
 */
record Told(Optional<Instant> earliest, Instant now) {}

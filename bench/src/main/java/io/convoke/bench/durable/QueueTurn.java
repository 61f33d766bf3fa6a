package io.convoke.bench.durable;

import java.time.Duration;

/**
 * A turn of work.
 *
 * @param items done for good, counted in the database
 * @param span from the start of the first one until the last one was durably done
 */
record QueueTurn(long items, Duration span) {}

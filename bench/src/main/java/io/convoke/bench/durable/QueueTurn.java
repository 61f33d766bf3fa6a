package io.convoke.bench.durable;

import java.time.Duration;

/**
 * A turn of work.
 *
 * @param items done for good, counted in the database
 * @param unbegun how many of them no worker has begun: they were lost
 * @param span from the start of the first one until the last one was durably done
 */
record QueueTurn(long items, long unbegun, Duration span) {}

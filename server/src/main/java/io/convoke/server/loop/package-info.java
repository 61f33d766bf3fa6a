/**
 * What features share about waiting: background tasks, one loop with its failures, waits and end,
 * the batching of calls into few round trips to Postgres, and the readings of gauges.
 */
@NullMarked
package io.convoke.server.loop;

import org.jspecify.annotations.NullMarked;

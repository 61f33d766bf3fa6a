/**
 * What features share about waiting: background tasks, one loop with its failures, waits and end,
 * and the batching of calls into few round trips to Postgres.
 */
@NullMarked
package io.convoke.server.loop;

import org.jspecify.annotations.NullMarked;

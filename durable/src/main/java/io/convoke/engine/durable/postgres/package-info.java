/**
 * The provider on PostgreSQL: its tables, its statements, batches of claims and commits, and the
 * wake-ups of dispatchers (tokens, timers, notifications). It interprets no item and no event, and
 * keeps no state in memory that a crash could lose.
 */
@NullMarked
package io.convoke.engine.durable.postgres;

import org.jspecify.annotations.NullMarked;

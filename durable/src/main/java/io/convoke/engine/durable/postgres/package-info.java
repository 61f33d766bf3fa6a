/**
 * The provider on PostgreSQL: its tables, its statements, and what makes them fast (claims in
 * batches, group commits, floors) and prompt (tokens, timers, notifications). It reads no item and
 * no event, and holds nothing that a crash could lose: what is in memory only is a hint.
 */
@NullMarked
package io.convoke.engine.durable.postgres;

import org.jspecify.annotations.NullMarked;

/**
 * Leases in Redis: exclusive claims on keys, each with a timeout and an epoch. One keeper renews
 * all leases of a process in batches and interrupts the holder of one that it lost.
 *
 * <p>A lease orders holders; it never guards a database write by itself. Writes are guarded by an
 * epoch that the database row issues, because Redis may forget.
 */
@NullMarked
package io.convoke.engine.lease;

import org.jspecify.annotations.NullMarked;

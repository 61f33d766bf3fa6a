/**
 * The append-only log of all changes: audit, outbox and event stream in one table. A transaction
 * writes the events that describe it; readers see events in sequence order, and only once no later
 * commit can precede them.
 */
@NullMarked
package io.convoke.engine.journal;

import org.jspecify.annotations.NullMarked;

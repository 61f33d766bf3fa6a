/**
 * The append-only log of everything that happened: audit, outbox and event stream in one table. An
 * event is written in the transaction that it describes; readers see events in sequence order, and
 * only once no later commit can precede them.
 */
@NullMarked
package io.convoke.engine.journal;

import org.jspecify.annotations.NullMarked;

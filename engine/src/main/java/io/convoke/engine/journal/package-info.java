/**
 * The append-only log of everything that happened: audit, outbox and event stream in one table. An
 * event is written in the transaction that it tells about; readers see events in the order of their
 * sequence and never one that a later commit could still precede.
 */
@NullMarked
package io.convoke.engine.journal;

import org.jspecify.annotations.NullMarked;

/**
 * Runs workflows and activities over a provider: replays histories, hands turns to coroutines,
 * keeps parked instances warm, retries, renews. It owns what events and messages say; it knows no
 * SQL and no store.
 */
@NullMarked
package io.convoke.engine.durable.runtime;

import org.jspecify.annotations.NullMarked;

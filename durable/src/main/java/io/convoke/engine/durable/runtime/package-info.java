/**
 * Runs workflows and activities over a provider: replays histories, runs turns in coroutines,
 * caches parked executions, retries, renews. It owns the content of events and messages; it knows
 * no SQL and no store.
 */
@NullMarked
package io.convoke.engine.durable.runtime;

import org.jspecify.annotations.NullMarked;

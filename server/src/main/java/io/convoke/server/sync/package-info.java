/**
 * Whether a meeting has reached the CRM (seed 003). Owns {@code sync_status}, its cache in Redis,
 * {@code /sync-status} and the detector of syncs that stand still. It never moves data to a CRM by
 * itself: jobs tell it how far they are, ours and other people's alike, and it tells everybody
 * else.
 *
 * <p>Writing is one upsert under the row's version with its journal row, then the cache. Reading is
 * the cache, remembered as long as Redis says that it is true, and Postgres where the cache cannot
 * be vouched for. What a write could not put into the cache, the journal's follower does.
 */
@NullMarked
package io.convoke.server.sync;

import org.jspecify.annotations.NullMarked;

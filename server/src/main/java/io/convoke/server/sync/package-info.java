/**
 * Whether a meeting has reached the CRM (docs/spec/sync.md). Owns {@code sync_status}, its cache in
 * Redis, {@code /sync-status} and the detector of stalled syncs. It does not move data to a CRM:
 * jobs post how far they are.
 *
 * <p>A POST goes through {@code SyncEndpoints}, {@code SyncWriter}, {@code QueryBatcher}, {@code
 * SyncLifecycle}, {@code SyncStore} and {@code SyncCache}; a GET that hits the cache through {@code
 * SyncEndpoints}, {@code SyncReader}, {@code SyncCache}, {@code RequestBatcher} and Redis; one that
 * misses through {@code SyncEndpoints}, {@code SyncReader}, {@code QueryBatcher}, {@code SyncStore}
 * and {@code SyncCache}. {@code CacheInvalidator} subscribes to the journal for updates that their
 * writer did not store in the cache.
 */
@NullMarked
package io.convoke.server.sync;

import org.jspecify.annotations.NullMarked;

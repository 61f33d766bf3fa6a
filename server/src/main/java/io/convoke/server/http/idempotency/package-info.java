/**
 * Idempotency keys: runs a creating request once per key, and replays its stored response. It never
 * decides which endpoints take a key: their descriptors do.
 */
@NullMarked
package io.convoke.server.http.idempotency;

import org.jspecify.annotations.NullMarked;

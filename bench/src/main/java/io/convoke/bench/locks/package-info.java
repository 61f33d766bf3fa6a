/**
 * Measures the engine's leases beside Redisson's lock and a short hand-written one, on one Redis:
 * the rate of acquiring and releasing a free lock, and the cost of renewing many.
 */
@NullMarked
package io.convoke.bench.locks;

import org.jspecify.annotations.NullMarked;

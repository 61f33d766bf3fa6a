/**
 * Measures the engine's leases beside Redisson's lock and the few lines that many write by hand, on
 * one Redis: how fast a free lock is taken and given back, and what it costs to keep many.
 */
@NullMarked
package io.convoke.bench.locks;

import org.jspecify.annotations.NullMarked;

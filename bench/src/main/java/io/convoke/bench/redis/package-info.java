/**
 * What a Redis counts by itself, for benchmarks that count commands instead of time. It reads, on a
 * connection of its own, and changes nothing.
 */
@NullMarked
package io.convoke.bench.redis;

import org.jspecify.annotations.NullMarked;

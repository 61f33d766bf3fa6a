/**
 * Command statistics of Redis, for benchmarks that count commands instead of time. It reads them on
 * its own connection and changes nothing.
 */
@NullMarked
package io.convoke.bench.redis;

import org.jspecify.annotations.NullMarked;

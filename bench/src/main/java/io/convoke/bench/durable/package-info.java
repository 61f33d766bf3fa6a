/**
 * Measures the durable engine beside its alternatives, in one run on one Postgres with fsync on:
 * durable enqueues, work claimed and acked, the latency between processes, the cost of listeners,
 * and the statements of an idle node. Each candidate is configured as its makers recommend for
 * speed.
 */
@NullMarked
package io.convoke.bench.durable;

import org.jspecify.annotations.NullMarked;

/**
 * Measures the durable engine beside what people use instead, in one run on one Postgres with fsync
 * on: durable enqueues, work claimed and acked, the way from one process to another, the price of
 * listeners, and what an idle node asks. Each peer is driven as its makers recommend for speed.
 */
@NullMarked
package io.convoke.bench.durable;

import org.jspecify.annotations.NullMarked;

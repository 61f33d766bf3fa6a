/**
 * Measures dispatch beside BullMQ, Redisson's queues and a loop over Redis Streams written by hand:
 * whole lives of tasks on one Redis, the way of one task to another process, whom it wakes, and
 * what a pod asks while nothing happens.
 */
@NullMarked
package io.convoke.bench.dispatch;

import org.jspecify.annotations.NullMarked;

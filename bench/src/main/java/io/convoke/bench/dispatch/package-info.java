/**
 * Measures dispatch beside BullMQ, Redisson's queues and a hand-written loop over Redis Streams:
 * whole lifecycles of tasks on one Redis, the latency of one task to another process, how many pods
 * it wakes, and the commands of an idle pod.
 */
@NullMarked
package io.convoke.bench.dispatch;

import org.jspecify.annotations.NullMarked;

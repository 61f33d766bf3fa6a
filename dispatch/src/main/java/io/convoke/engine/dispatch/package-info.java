/**
 * Dispatch of tasks to pods in many regions (seed 004): states and queues in Redis, one function
 * for each transition; pods that pull for free slots and wait without polling; a ledger that
 * remembers what Redis may forget.
 *
 * <p>It never looks into a payload, knows no HTTP and no user, and starts no program: that is the
 * server's and the pod's.
 */
@NullMarked
package io.convoke.engine.dispatch;

import org.jspecify.annotations.NullMarked;

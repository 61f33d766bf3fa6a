/**
 * Dispatch of tasks to pods in many regions: states and queues in Redis, one Lua script for each
 * transition; pods that pull for free slots and wait without polling; a database that restores what
 * Redis loses. See docs/spec/dispatch.md.
 *
 * <p>Dispatch never reads a payload, knows neither HTTP nor users, and starts no programs; the
 * server and the pods do.
 */
@NullMarked
package io.convoke.engine.dispatch;

import org.jspecify.annotations.NullMarked;

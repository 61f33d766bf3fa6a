/**
 * Rules for sync status histories: pure functions that check that each accepted update counts once,
 * and that all responses about a meeting fit into one order that agrees with real time.
 */
@NullMarked
package io.convoke.chaos.sync.rules;

import org.jspecify.annotations.NullMarked;

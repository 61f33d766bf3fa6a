/**
 * What must hold of a history of sync status, as pure functions over plain data: each accepted
 * update counts once, and all answers of a meeting fit into one order that agrees with real time.
 */
@NullMarked
package io.convoke.chaos.sync.rules;

import org.jspecify.annotations.NullMarked;

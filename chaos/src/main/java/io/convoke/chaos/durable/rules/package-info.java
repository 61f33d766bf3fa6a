/**
 * Rules for the flows of one run: pure functions over one {@code FlowHistory}. They know the
 * expected results and the meaning of the engine's tables, and query nothing.
 */
@NullMarked
package io.convoke.chaos.durable.rules;

import org.jspecify.annotations.NullMarked;

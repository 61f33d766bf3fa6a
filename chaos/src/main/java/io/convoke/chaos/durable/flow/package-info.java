/**
 * The workflows of the durable scenario and their expected results: flows of several kinds, their
 * activities, their sums. Pure arithmetic, shared by the plan, the programs that run the flows and
 * the rules; independent of the engine.
 */
@NullMarked
package io.convoke.chaos.durable.flow;

import org.jspecify.annotations.NullMarked;

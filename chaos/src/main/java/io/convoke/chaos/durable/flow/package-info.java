/**
 * What the durable scenario has run and what must come of it: flows of a few kinds, the errands
 * that they order, their sums. It is pure arithmetic, shared by the plan, by the programs that run
 * the flows and by the rules that judge them; it knows no engine.
 */
@NullMarked
package io.convoke.chaos.durable.flow;

import org.jspecify.annotations.NullMarked;

/**
 * What may be said about the flows of one run: everything observed, as one {@code FlowHistory}, and
 * pure rules over it. Rules know what a flow must come to and what the engine's tables mean; they
 * ask nobody.
 */
@NullMarked
package io.convoke.chaos.durable.rules;

import org.jspecify.annotations.NullMarked;

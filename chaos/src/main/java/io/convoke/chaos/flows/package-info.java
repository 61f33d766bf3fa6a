/**
 * Programs that {@code ./convoke chaos durable} starts: a node that runs workflows, and a client
 * that starts them. They follow the scenario's plan as users of the library and check nothing.
 */
@NullMarked
package io.convoke.chaos.flows;

import org.jspecify.annotations.NullMarked;

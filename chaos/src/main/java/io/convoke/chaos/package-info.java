/**
 * Chaos: real processes, faults by seed, everything observed fed into a history checker. It owns
 * the command, the scenarios' common shape and how a verdict is told; what may be observed and what
 * is right about it belongs to {@code history}, what happens in a scenario to the scenario.
 */
@NullMarked
package io.convoke.chaos;

import org.jspecify.annotations.NullMarked;

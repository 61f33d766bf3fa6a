/**
 * The control API: reads the simulation's state, sets its faults, moves people by hand, and checks
 * the rows of a server against what happened. It answers on loopback without keys.
 */
@NullMarked
package io.convoke.simulator.control;

import org.jspecify.annotations.NullMarked;

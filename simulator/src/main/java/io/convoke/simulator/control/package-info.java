/**
 * The control API: reads the simulation, changes its faults, moves participants by hand, and
 * returns the actual state that a history checker compares with a server's view. It answers on
 * loopback without keys.
 */
@NullMarked
package io.convoke.simulator.control;

import org.jspecify.annotations.NullMarked;

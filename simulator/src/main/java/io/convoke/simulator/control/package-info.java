/**
 * The control API: look at the simulation, change its faults, move people by hand, and read the
 * truth that a history checker compares a server's view with. It answers on loopback without keys.
 */
@NullMarked
package io.convoke.simulator.control;

import org.jspecify.annotations.NullMarked;

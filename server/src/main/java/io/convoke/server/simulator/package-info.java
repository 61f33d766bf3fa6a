/**
 * The simulator that may be attached to this server: its faults shown and set, and what really
 * happened there held against what this server believes. It speaks HTTP to the simulator and reads
 * our rows; it never writes one, and without {@code CONVOKE_SIM_URL} it does not exist.
 */
@NullMarked
package io.convoke.server.simulator;

import org.jspecify.annotations.NullMarked;

/**
 * What is true on the simulated platform: rooms, meeting sessions, who is connected, recordings. It
 * owns that state behind one lock and tells what happened as events, in order. It never does I/O
 * and never injects faults: faults change what outsiders are told, not what is true.
 */
@NullMarked
package io.convoke.lab.sim.world;

import org.jspecify.annotations.NullMarked;

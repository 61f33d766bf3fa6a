/**
 * The state of the simulated platform: rooms, meeting sessions, connections, recordings. It owns
 * that state behind one lock and emits changes as events, in order. It never does I/O and never
 * injects faults: faults change answers and webhooks, not the state.
 */
@NullMarked
package io.convoke.simulator.state;

import org.jspecify.annotations.NullMarked;

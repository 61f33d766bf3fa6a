/**
 * Rooms for bots: join, an event stream, say, leave. A protocol of the simulator's own over plain
 * HTTP, described in docs/reference/simulator.md; no platform has it.
 */
@NullMarked
package io.convoke.simulator.room;

import org.jspecify.annotations.NullMarked;

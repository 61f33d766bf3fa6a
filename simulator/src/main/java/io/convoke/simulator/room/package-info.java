/**
 * Rooms as a bot meets them: join, an event stream of what happens, say, leave. A protocol of the
 * simulator's own over plain HTTP, described in docs/reference/simulator.md; no platform speaks it.
 */
@NullMarked
package io.convoke.simulator.room;

import org.jspecify.annotations.NullMarked;

/**
 * The seam to the HTTP server: a call comes in as a value, an answer goes out as a value. The only
 * package of the simulator, besides the event stream of a room, that knows Helidon.
 */
@NullMarked
package io.convoke.simulator.http;

import org.jspecify.annotations.NullMarked;

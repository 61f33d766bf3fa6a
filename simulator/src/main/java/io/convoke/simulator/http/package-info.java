/**
 * The boundary to the HTTP server: a request and a response are values. The only package of the
 * simulator, besides the event stream of a room, that uses Helidon.
 */
@NullMarked
package io.convoke.simulator.http;

import org.jspecify.annotations.NullMarked;

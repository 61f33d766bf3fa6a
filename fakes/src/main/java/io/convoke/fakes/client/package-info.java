/**
 * A client of Convoke's HTTP API: JSON calls with a key, and the event stream with reconnects. It
 * keeps what it receives and checks nothing.
 */
@NullMarked
package io.convoke.fakes.client;

import org.jspecify.annotations.NullMarked;

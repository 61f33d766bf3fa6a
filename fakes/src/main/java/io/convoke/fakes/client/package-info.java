/**
 * Convoke's HTTP API as a stranger sees it: JSON calls with a key, and the event stream with
 * reconnects. It keeps what it was told and judges nothing.
 */
@NullMarked
package io.convoke.fakes.client;

import org.jspecify.annotations.NullMarked;

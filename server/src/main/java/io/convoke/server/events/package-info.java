/**
 * The journal's HTTP API: a list, and a stream that can be resumed. Read-only; features write their
 * own events.
 */
@NullMarked
package io.convoke.server.events;

import org.jspecify.annotations.NullMarked;

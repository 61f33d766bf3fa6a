/**
 * Rooms that users make and that people join in their browser: links, and the way to Janus for the
 * page behind them. Never knows who is in a room; that is presence.
 */
@NullMarked
package io.convoke.server.join;

import org.jspecify.annotations.NullMarked;

/**
 * Bots as plain processes on this machine. Each bot is a session of its own: it outlives a crash of
 * the control plane and a Ctrl-C in its terminal, and is found again by process id and start time.
 * It inherits {@code PATH}, {@code HOME} and its {@code BOT_CONFIG}, nothing else.
 */
@NullMarked
package io.convoke.server.launch.process;

import org.jspecify.annotations.NullMarked;

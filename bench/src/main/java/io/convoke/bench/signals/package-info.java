/**
 * The lost-signal test: a meeting's flag is set at every point of a running poll, by webhook, by
 * timer and by a foreign SET, while workers crash, leases expire and locks are held. It owns the
 * interleavings, drawn by seed, and the check for lost signals; the scripts are the server's own,
 * beside the reference protocol.
 */
@NullMarked
package io.convoke.bench.signals;

import org.jspecify.annotations.NullMarked;

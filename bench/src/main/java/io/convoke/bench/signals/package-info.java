/**
 * The lost-signal test: a meeting's flag is set at every point of a running poll, by webhook, by
 * timer and by a stranger's plain SET, while workers crash, leases run out and locks are held. It
 * owns the interleavings, drawn by seed, and the judgement of what was lost; the scripts that it
 * drives are the server's own, beside the protocol of seed 000.
 */
@NullMarked
package io.convoke.bench.signals;

import org.jspecify.annotations.NullMarked;

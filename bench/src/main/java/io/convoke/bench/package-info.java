/**
 * Measures Convoke side by side with references: named benchmarks behind one small interface, run
 * in interleaved rounds so that a noisy machine hits all candidates alike, and told as ratios of
 * medians. It owns the command line, the rounds and the machine's description; it never measures
 * anything inside its own process.
 */
@NullMarked
package io.convoke.bench;

import org.jspecify.annotations.NullMarked;

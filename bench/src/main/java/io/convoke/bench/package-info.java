/**
 * Measures Convoke side by side with references: named benchmarks behind one small interface, run
 * in interleaved rounds so that noise affects all candidates alike, and reported as ratios of
 * medians. It owns the command line, the rounds, the environment of stores and servers, and the
 * machine's description; it measures other processes, never its own.
 */
@NullMarked
package io.convoke.bench;

import org.jspecify.annotations.NullMarked;

/**
 * Recorded runs of benchmarks and chaos in {@code docs/results}, and the page made of them. It
 * measures nothing and runs nothing but git.
 */
@NullMarked
package io.convoke.chaos.results;

import org.jspecify.annotations.NullMarked;

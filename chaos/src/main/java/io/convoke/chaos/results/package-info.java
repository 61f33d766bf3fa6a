/**
 * Runs of benchmarks and chaos as they are kept in {@code docs/results}, and the page made of them.
 * It measures nothing and runs nothing but git.
 */
@NullMarked
package io.convoke.chaos.results;

import org.jspecify.annotations.NullMarked;

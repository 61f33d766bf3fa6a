/**
 * Mutants: broken copies of the product, which the checkers of the scenarios must find. It reads
 * the lists in {@code chaos/src/mutants} and compiles the changed sources; it runs nothing.
 */
@NullMarked
package io.convoke.chaos.mutants;

import org.jspecify.annotations.NullMarked;

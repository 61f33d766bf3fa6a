/**
 * Processes beside a benchmark: other JVMs of this class path, Node scripts with their npm
 * libraries, and their output line by line. Knows no store and no candidate.
 */
@NullMarked
package io.convoke.bench.process;

import org.jspecify.annotations.NullMarked;

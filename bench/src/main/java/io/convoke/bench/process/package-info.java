/**
 * Programs that a benchmark runs beside itself: other JVMs of this class path, programs of Node and
 * what npm installs for them, and what they say line by line. Knows no store and no candidate.
 */
@NullMarked
package io.convoke.bench.process;

import org.jspecify.annotations.NullMarked;

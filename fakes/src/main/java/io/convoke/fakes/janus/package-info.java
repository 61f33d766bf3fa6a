/** A strict fake of a Janus server's control side, and the real one of this machine beside it. */
@NullMarked
package io.convoke.fakes.janus;

import org.jspecify.annotations.NullMarked;

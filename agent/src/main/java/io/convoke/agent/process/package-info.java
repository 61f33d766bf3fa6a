/** All processes that one program consists of, found and ended together. */
@NullMarked
package io.convoke.agent.process;

import org.jspecify.annotations.NullMarked;

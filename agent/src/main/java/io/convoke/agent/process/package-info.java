/**
 * All processes that one program consists of, found and ended together, and the folders that they
 * work in, which are deleted even if the process is killed.
 */
@NullMarked
package io.convoke.agent.process;

import org.jspecify.annotations.NullMarked;

/** Placeholder. */
@NullMarked
package io.convoke.agent;

import org.jspecify.annotations.NullMarked;

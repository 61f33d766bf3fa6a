/** Placeholder. */
@NullMarked
package io.convoke.engine;

import org.jspecify.annotations.NullMarked;

/** Placeholder. */
@NullMarked
package io.convoke.bench;

import org.jspecify.annotations.NullMarked;

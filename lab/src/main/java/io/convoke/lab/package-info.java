/** Placeholder. */
@NullMarked
package io.convoke.lab;

import org.jspecify.annotations.NullMarked;

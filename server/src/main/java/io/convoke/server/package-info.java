/** Placeholder. */
@NullMarked
package io.convoke.server;

import org.jspecify.annotations.NullMarked;

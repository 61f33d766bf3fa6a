/** Background tasks of the features: one loop with its failures, waits and end. */
@NullMarked
package io.convoke.server.loop;

import org.jspecify.annotations.NullMarked;

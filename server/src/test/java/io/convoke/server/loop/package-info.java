/** Tests of the background loop. */
@NullMarked
package io.convoke.server.loop;

import org.jspecify.annotations.NullMarked;

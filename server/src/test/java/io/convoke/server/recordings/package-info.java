/** Tests of recordings. */
@NullMarked
package io.convoke.server.recordings;

import org.jspecify.annotations.NullMarked;

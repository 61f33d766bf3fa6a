/** Tests of media. */
@NullMarked
package io.convoke.server.media;

import org.jspecify.annotations.NullMarked;

/** Tests of the claims of rooms. */
@NullMarked
package io.convoke.server.rooms;

import org.jspecify.annotations.NullMarked;

/** Tests of bots. */
@NullMarked
package io.convoke.server.bots;

import org.jspecify.annotations.NullMarked;

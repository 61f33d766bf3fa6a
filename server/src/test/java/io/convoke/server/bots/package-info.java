/** Tests of the bots' life. */
@NullMarked
package io.convoke.server.bots;

import org.jspecify.annotations.NullMarked;

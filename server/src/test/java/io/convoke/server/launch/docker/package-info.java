/** Bots in containers of a real Docker engine. */
@NullMarked
package io.convoke.server.launch.docker;

import org.jspecify.annotations.NullMarked;

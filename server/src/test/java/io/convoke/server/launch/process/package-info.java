/** Tests of bots as processes. */
@NullMarked
package io.convoke.server.launch.process;

import org.jspecify.annotations.NullMarked;

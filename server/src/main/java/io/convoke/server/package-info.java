/** The server: wiring, schema migrations, and the roles of a process. */
@NullMarked
package io.convoke.server;

import org.jspecify.annotations.NullMarked;

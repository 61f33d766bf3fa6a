/** The server: one object graph, its schema, and the duties that a process can have. */
@NullMarked
package io.convoke.server;

import org.jspecify.annotations.NullMarked;

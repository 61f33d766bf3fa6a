/**
 * The durable engine in the server: the registered workflows, their owners, and their HTTP API. The
 * steps of a workflow belong to the feature that starts it; durability belongs to {@code
 * engine.durable}. Nothing here reads or writes a queue directly.
 */
@NullMarked
package io.convoke.server.workflows;

import org.jspecify.annotations.NullMarked;

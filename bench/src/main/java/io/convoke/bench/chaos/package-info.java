/**
 * The programs that {@code ./convoke chaos durable} starts, because the lab links no engine: a node
 * that runs flows, and a client that starts them. They do what the scenario's plan says, as a user
 * of the library would, and judge nothing.
 */
@NullMarked
package io.convoke.bench.chaos;

import org.jspecify.annotations.NullMarked;

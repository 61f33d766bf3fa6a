/**
 * Embedded stores: a real PostgreSQL 18 and a real Redis, run as child processes for demos, tests
 * and {@code serve --embedded}. They keep their data between runs and end with their parent,
 * however it ends. For one machine and for evaluation; production uses its own stores by URL.
 */
@NullMarked
package io.convoke.simulator.stores;

import org.jspecify.annotations.NullMarked;

/**
 * Chaos for sync status: many concurrent updates and reads while Redis, Postgres and servers fail.
 * It plans, calls over plain sockets, and gathers responses and the journal; {@code rules} decides
 * what is correct. It never accesses a server's internals.
 */
@NullMarked
package io.convoke.chaos.sync;

import org.jspecify.annotations.NullMarked;

/**
 * Chaos for sync status: many callers tell and ask at once while Redis, Postgres and servers come
 * and go. It plans, calls over plain sockets, and gathers what was answered and what the journal
 * says; whether that is right, {@code verdict} decides. It never looks into a server.
 */
@NullMarked
package io.convoke.chaos.sync;

import org.jspecify.annotations.NullMarked;

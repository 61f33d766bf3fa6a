/**
 * The cost of many live bots: heartbeats in transactions, a sweep in rows and blocks read, and a
 * start request beside a bare insert. It owns the rows made by SQL and the reference; it calls the
 * server as bots and users do.
 */
@NullMarked
package io.convoke.bench.bots;

import org.jspecify.annotations.NullMarked;

/**
 * What many live bots cost: their heartbeats in transactions, a sweep in rows and blocks read, and
 * a start request beside a bare insert. It owns its house, its rows made by SQL and its reference;
 * it asks the server as bots and users do.
 */
@NullMarked
package io.convoke.bench.bots;

import org.jspecify.annotations.NullMarked;

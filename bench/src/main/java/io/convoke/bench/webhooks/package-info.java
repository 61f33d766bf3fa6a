/**
 * The benchmark of webhook ingest: Convoke's own server beside a bare HTTP server and a naive
 * handler, each in its own process, each with the same signed events. It owns the events, the
 * reference servers and the check of the results.
 */
@NullMarked
package io.convoke.bench.webhooks;

import org.jspecify.annotations.NullMarked;

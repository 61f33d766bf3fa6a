/**
 * The benchmark of webhook ingest: Convoke's own server beside a bare HTTP server and a naive
 * handler, each in a process of its own, each sent the same signed events. It owns the events, the
 * reference servers and the proof that ours did its work.
 */
@NullMarked
package io.convoke.bench.webhooks;

import org.jspecify.annotations.NullMarked;

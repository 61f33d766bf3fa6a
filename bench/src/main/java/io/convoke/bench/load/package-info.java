/**
 * A load generator for HTTP/1.1 that costs little beside the server it drives: one thread, kept
 * connections, requests built beforehand. It checks each response's status and records latencies.
 */
@NullMarked
package io.convoke.bench.load;

import org.jspecify.annotations.NullMarked;

/**
 * A load generator for HTTP/1.1 that costs little beside the server it drives: one thread, kept
 * connections, requests built beforehand. It verifies each answer's status and keeps times; it
 * knows nothing about what is asked.
 */
@NullMarked
package io.convoke.bench.load;

import org.jspecify.annotations.NullMarked;

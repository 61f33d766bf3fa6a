/**
 * Tracing: the exporter to a collector, and the one place that reads and writes W3C's {@code
 * traceparent} (durable workflows only check its form). It opens no spans.
 */
@NullMarked
package io.convoke.server.trace;

import org.jspecify.annotations.NullMarked;

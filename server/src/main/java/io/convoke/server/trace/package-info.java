/**
 * Tracing: the exporter to a collector, and the translation between OpenTelemetry's contexts and
 * W3C's {@code traceparent} for work that outlives its thread. It opens no spans.
 */
@NullMarked
package io.convoke.server.trace;

import org.jspecify.annotations.NullMarked;

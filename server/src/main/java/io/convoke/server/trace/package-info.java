/**
 * Where spans go, and places in traces as text for what outlives the thread that it began on. It
 * owns the way to a collector and the translation between OpenTelemetry's contexts and W3C's {@code
 * traceparent}; it opens no spans.
 */
@NullMarked
package io.convoke.server.trace;

import org.jspecify.annotations.NullMarked;

/**
 * Places in traces as text, for what outlives the thread that it began on. It owns the translation
 * between OpenTelemetry's contexts and W3C's {@code traceparent}; it opens no spans and records
 * nothing.
 */
@NullMarked
package io.convoke.server.trace;

import org.jspecify.annotations.NullMarked;

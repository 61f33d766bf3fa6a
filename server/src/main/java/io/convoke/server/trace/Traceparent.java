package io.convoke.server.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** A place in a trace as W3C Trace Context writes it: version, trace, span, flags. */
public final class Traceparent {
  private static final String NAME = "traceparent";

  /** Reads the one header from its own text. */
  private static final TextMapGetter<String> HEADER =
      (text, name) -> name.equals(NAME) ? text : null;

  private Traceparent() {}

  /** That of the span that is current on this thread, if there is one. */
  public static Optional<String> current() {
    return Optional.of(Span.current().getSpanContext())
        .filter(SpanContext::isValid)
        .map(Traceparent::of);
  }

  public static String of(SpanContext span) {
    return of(span, span.getSpanId());
  }

  /** That of another span in the same trace. */
  public static String of(SpanContext trace, String spanId) {
    return "00-" + trace.getTraceId() + "-" + spanId + "-" + trace.getTraceFlags().asHex();
  }

  /** The context of a {@code traceparent}, for spans that begin under it; the root if invalid. */
  public static Context context(String traceparent) {
    return W3CTraceContextPropagator.getInstance().extract(Context.root(), traceparent, HEADER);
  }

  /** The remote span that a {@code traceparent} names; that of a new trace if it is invalid. */
  public static SpanContext parse(String traceparent) {
    SpanContext remote = Span.fromContext(context(traceparent)).getSpanContext();
    return remote.isValid() ? remote : fresh();
  }

  /** A span of a new trace that is not sampled. */
  public static SpanContext fresh() {
    return SpanContext.create(
        newSpanId() + newSpanId(), newSpanId(), TraceFlags.getDefault(), TraceState.getDefault());
  }

  /** A span id for when no tracer gives one. */
  public static String newSpanId() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
  }
}

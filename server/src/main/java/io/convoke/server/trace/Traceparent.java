package io.convoke.server.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.util.Optional;

/** A place in a trace as W3C Trace Context writes it: version, trace, span, flags. */
public final class Traceparent {
  private static final int TRACE = 3;
  private static final int SPAN = 36;
  private static final int FLAGS = 53;

  private Traceparent() {}

  /** That of the span that is current on this thread, if there is one. */
  public static Optional<String> current() {
    return Optional.of(Span.current().getSpanContext())
        .filter(SpanContext::isValid)
        .map(Traceparent::of);
  }

  public static String of(SpanContext span) {
    return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-" + span.getTraceFlags().asHex();
  }

  /** The context of a valid {@code traceparent}, for spans that begin under it. */
  public static Context context(String traceparent) {
    SpanContext remote =
        SpanContext.createFromRemoteParent(
            traceparent.substring(TRACE, SPAN - 1),
            traceparent.substring(SPAN, FLAGS - 1),
            TraceFlags.fromHex(traceparent, FLAGS),
            TraceState.getDefault());
    return Context.root().with(Span.wrap(remote));
  }
}

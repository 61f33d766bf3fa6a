package io.convoke.server.http;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Optional;

/**
 * Opens a span around each request, through OpenTelemetry's API alone; where nobody collects them
 * there are none. A raw endpoint gets a span only if its caller records the trace.
 */
final class Tracing {
  private final Tracer tracer;
  private final boolean collected;

  Tracing(OpenTelemetry telemetry) {
    this.tracer = telemetry.getTracer("io.convoke.http");
    this.collected = !telemetry.equals(OpenTelemetry.noop());
  }

  RequestTrace begin(Operation operation, Optional<String> traceparent) {
    if (operation.raw() && traceparent.isEmpty()) {
      return RequestTrace.quiet();
    }
    Trace trace = traceparent.map(Trace::of).orElseGet(Trace::fresh);
    if (operation.raw() && !trace.sampled()) {
      return RequestTrace.quiet(trace);
    }
    if (!collected) {
      return RequestTrace.logged(trace);
    }
    Endpoint endpoint = operation.endpoint();
    Span span =
        tracer
            .spanBuilder(endpoint.method() + " " + endpoint.path())
            .setSpanKind(SpanKind.SERVER)
            .setParent(parent(trace))
            .startSpan();
    return RequestTrace.recorded(trace, span);
  }

  private static Context parent(Trace trace) {
    if (!trace.remote()) {
      return Context.root();
    }
    TraceFlags flags = trace.sampled() ? TraceFlags.getSampled() : TraceFlags.getDefault();
    SpanContext remote =
        SpanContext.createFromRemoteParent(
            trace.traceId(), trace.parentId(), flags, TraceState.getDefault());
    return Context.root().with(Span.wrap(remote));
  }
}

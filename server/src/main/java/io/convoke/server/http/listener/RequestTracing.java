package io.convoke.server.http.listener;

import io.convoke.server.http.Endpoint;
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
final class RequestTracing {
  private final Tracer tracer;
  private final boolean collected;

  RequestTracing(OpenTelemetry telemetry) {
    this.tracer = telemetry.getTracer("io.convoke.http");
    this.collected = !telemetry.equals(OpenTelemetry.noop());
  }

  RequestTrace begin(CompiledOperation compiledOperation, Optional<String> traceparent) {
    if (compiledOperation.raw() && traceparent.isEmpty()) {
      return RequestTrace.quiet();
    }
    TraceContext traceContext = traceparent.map(TraceContext::of).orElseGet(TraceContext::fresh);
    if (compiledOperation.raw() && !traceContext.sampled()) {
      return RequestTrace.quiet(traceContext);
    }
    if (!collected) {
      return RequestTrace.logged(traceContext);
    }
    Endpoint endpoint = compiledOperation.endpoint();
    Span span =
        tracer
            .spanBuilder(endpoint.method() + " " + endpoint.path())
            .setSpanKind(SpanKind.SERVER)
            .setParent(parent(traceContext))
            .startSpan();
    return RequestTrace.recorded(traceContext, span);
  }

  private static Context parent(TraceContext traceContext) {
    if (!traceContext.remote()) {
      return Context.root();
    }
    TraceFlags flags = traceContext.sampled() ? TraceFlags.getSampled() : TraceFlags.getDefault();
    SpanContext remote =
        SpanContext.createFromRemoteParent(
            traceContext.traceId(), traceContext.parentId(), flags, TraceState.getDefault());
    return Context.root().with(Span.wrap(remote));
  }
}

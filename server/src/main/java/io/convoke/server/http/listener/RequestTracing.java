package io.convoke.server.http.listener;

import io.convoke.server.http.Endpoint;
import io.convoke.server.trace.Traceparent;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Optional;

/**
 * Opens a span around each request, through OpenTelemetry's API alone; without a collector there
 * are none. A raw endpoint gets a span only if its caller records the trace.
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
    SpanContext parent = traceparent.map(Traceparent::parse).orElseGet(Traceparent::fresh);
    if (compiledOperation.raw() && !parent.isSampled()) {
      return RequestTrace.quiet(parent);
    }
    if (!collected) {
      return RequestTrace.logged(parent);
    }
    Endpoint endpoint = compiledOperation.endpoint();
    Span span =
        tracer
            .spanBuilder(endpoint.method() + " " + endpoint.path())
            .setSpanKind(SpanKind.SERVER)
            .setParent(context(parent))
            .startSpan();
    return RequestTrace.recorded(parent, span);
  }

  /** The caller's span as the parent; none where this request begins a trace. */
  private static Context context(SpanContext parent) {
    return parent.isRemote() ? Context.root().with(Span.wrap(parent)) : Context.root();
  }
}

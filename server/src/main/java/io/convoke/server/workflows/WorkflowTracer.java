package io.convoke.server.workflows;

import io.convoke.engine.durable.WorkflowTracing;
import io.convoke.server.trace.Traceparent;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import java.util.Locale;
import java.util.Optional;

/**
 * Spans of turns and activities, through OpenTelemetry's API alone: whatever node they run on, they
 * belong to the trace of the request that started the workflow.
 */
final class WorkflowTracer implements WorkflowTracing {
  private final Tracer tracer;

  WorkflowTracer(OpenTelemetry telemetry) {
    this.tracer = telemetry.getTracer("io.convoke.workflows");
  }

  @Override
  public Optional<String> current() {
    return Traceparent.current();
  }

  @Override
  public WorkflowSpan begin(
      WorkflowSpanKind workflowSpanKind, String name, String instanceId, String traceparent) {
    io.opentelemetry.api.trace.Span span =
        tracer
            .spanBuilder(workflowSpanKind.name().toLowerCase(Locale.ROOT) + " " + name)
            .setSpanKind(SpanKind.CONSUMER)
            .setParent(Traceparent.context(traceparent))
            .setAttribute("convoke.workflow.instance", instanceId)
            .startSpan();
    return new OpenSpan(span);
  }

  /** Begun, and current on its thread. */
  private static final class OpenSpan implements WorkflowSpan {
    private final io.opentelemetry.api.trace.Span span;
    private final Optional<Scope> scope;

    private OpenSpan(io.opentelemetry.api.trace.Span span) {
      this.span = span;
      this.scope = Optional.of(span).map(io.opentelemetry.api.trace.Span::makeCurrent);
    }

    @Override
    public String traceparent() {
      SpanContext context = span.getSpanContext();
      return Traceparent.of(context);
    }

    @Override
    public void failed(String error) {
      var _ = span.setStatus(StatusCode.ERROR, error);
    }

    @Override
    public void close() {
      scope.ifPresent(Scope::close);
      span.end();
    }
  }
}

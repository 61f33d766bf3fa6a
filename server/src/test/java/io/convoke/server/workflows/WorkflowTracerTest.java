package io.convoke.server.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.WorkflowTracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import org.junit.jupiter.api.Test;

/** Trace contexts survive conversion to text and back. */
class WorkflowTracerTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String GIVEN = "00-" + TRACE + "-00f067aa0ba902b7-01";

  @Test
  void whatRunsInASpanIsInItsTrace() {
    WorkflowTracing workflowTracing = new WorkflowTracer(OpenTelemetry.noop());
    assertThat(workflowTracing.current()).isEmpty();
    try (WorkflowTracing.WorkflowSpan workflowSpan =
        workflowTracing.begin(WorkflowTracing.WorkflowSpanKind.ACTIVITY, "call", "i", GIVEN)) {
      assertThat(Span.current().getSpanContext().getTraceId()).isEqualTo(TRACE);
      assertThat(Span.current().getSpanContext().isSampled()).isTrue();
      assertThat(workflowSpan.traceparent()).isEqualTo(GIVEN);
      assertThat(workflowTracing.current()).contains(GIVEN);
    }
    assertThat(workflowTracing.current()).isEmpty();
  }
}

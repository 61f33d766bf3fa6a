package io.convoke.engine.durable;

import java.util.Optional;

/**
 * The interface to a tracing library. The engine itself only propagates the trace context of a
 * workflow, a W3C {@code traceparent}, from its start to its turns, activities and sub-workflows on
 * all nodes, and puts the trace id into its log records ({@code trace_id}).
 */
public interface WorkflowTracing {
  /** Records no spans. */
  WorkflowTracing NONE =
      new WorkflowTracing() {
        @Override
        public Optional<String> current() {
          return Optional.empty();
        }

        @Override
        public WorkflowSpan begin(
            WorkflowSpanKind workflowSpanKind, String name, String instanceId, String traceparent) {
          return new WorkflowSpan() {
            @Override
            public String traceparent() {
              return traceparent;
            }

            @Override
            public void failed(String error) {}

            @Override
            public void close() {}
          };
        }
      };

  /** The operation of a span. */
  enum WorkflowSpanKind {
    /** The code of a workflow, from one wait to the next. */
    TURN,
    /** One attempt of an activity. */
    ACTIVITY
  }

  /** The trace context of the calling thread, which a workflow that it starts continues. */
  Optional<String> current();

  /**
   * Begins a span on the thread that does the work and also closes the span.
   *
   * @param name of the workflow or the activity
   * @param traceparent of the workflow
   */
  WorkflowSpan begin(
      WorkflowSpanKind workflowSpanKind, String name, String instanceId, String traceparent);

  /** A span that has begun. */
  interface WorkflowSpan extends AutoCloseable {
    /** The trace context for calls within the span. */
    String traceparent();

    void failed(String error);

    @Override
    void close();
  }
}

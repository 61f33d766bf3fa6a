package io.convoke.engine.durable;

import java.util.Optional;

/**
 * How workflows meet a tracing library. The engine itself only hands on where a workflow stands in
 * a trace, as a W3C {@code traceparent}: from its start to its turns, its activities, on whatever
 * node, and its sub-workflows; and names the trace in its log records ({@code trace_id}).
 */
public interface WorkflowTracing {
  /** Nobody records anything. */
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

  /** What a span is of. */
  enum WorkflowSpanKind {
    /** The code of a workflow, from one wait to the next. */
    TURN,
    /** One attempt of an activity. */
    ACTIVITY
  }

  /** The place in a trace of the code that runs now: that of whoever starts a workflow. */
  Optional<String> current();

  /**
   * Begins a span on the thread that does the work, which will also close it.
   *
   * @param name of the workflow or the activity
   * @param traceparent of the workflow
   */
  WorkflowSpan begin(
      WorkflowSpanKind workflowSpanKind, String name, String instanceId, String traceparent);

  /** A span that has begun. */
  interface WorkflowSpan extends AutoCloseable {
    /** For whatever is called from within it. */
    String traceparent();

    void failed(String error);

    @Override
    void close();
  }
}

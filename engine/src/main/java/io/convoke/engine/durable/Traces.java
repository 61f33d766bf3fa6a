package io.convoke.engine.durable;

import java.util.Optional;

/**
 * How workflows meet a tracing library. The engine itself only hands on where a workflow stands in
 * a trace, as a W3C {@code traceparent}: from its start to its turns, its activities, on whatever
 * node, and its sub-workflows; and names the trace in its log records ({@code trace_id}).
 */
public interface Traces {
  /** Nobody records anything. */
  Traces NONE =
      new Traces() {
        @Override
        public Optional<String> current() {
          return Optional.empty();
        }

        @Override
        public Span begin(Kind kind, String name, String instanceId, String traceparent) {
          return new Span() {
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
  enum Kind {
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
  Span begin(Kind kind, String name, String instanceId, String traceparent);

  /** A span that has begun. */
  interface Span extends AutoCloseable {
    /** For whatever is called from within it. */
    String traceparent();

    void failed(String error);

    @Override
    void close();
  }
}

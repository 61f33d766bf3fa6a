package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.runtime.DispatcherPool.DispatcherCounts;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** One trace from the start of a workflow to an activity of its sub-workflow on another node. */
class WorkflowTracingTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration LOCK = Duration.ofSeconds(30);
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String GIVEN = "00-" + TRACE + "-00f067aa0ba902b7-01";
  private static final String OF_SPAN = "00-" + TRACE + "-1111111111111111-01";

  private final String url = LocalStores.forTests().freshDatabase();

  /** Where in a trace something ran, by its context and by its log records. */
  record Seen(String traceparent, String logged) {
    static Seen of(String traceparent) {
      return new Seen(traceparent, String.valueOf(MDC.get("trace_id")));
    }
  }

  /** Remembers what was begun. */
  private static final class Recorder implements WorkflowTracing {
    private final List<String> begun = Collections.synchronizedList(new ArrayList<>());

    @Override
    public Optional<String> current() {
      return Optional.of(GIVEN);
    }

    @Override
    public WorkflowSpan begin(
        WorkflowSpanKind workflowSpanKind, String name, String instanceId, String traceparent) {
      begun.add(workflowSpanKind + " " + name + " of " + instanceId + " under " + traceparent);
      return new WorkflowSpan() {
        @Override
        public String traceparent() {
          return OF_SPAN;
        }

        @Override
        public void failed(String error) {
          begun.add(name + " failed: " + error);
        }

        @Override
        public void close() {
          begun.add("end of " + name);
        }
      };
    }
  }

  private Durable.Builder node(WorkflowTracing workflowTracing, int orchestrators, int workers) {
    return Durable.on(url)
        .traces(workflowTracing)
        .size(new DispatcherCounts(orchestrators, workers, 100, LOCK, LOCK))
        .activity("look", String.class, (context, input) -> Seen.of(context.traceparent()))
        .activity(
            "fail",
            String.class,
            (context, input) -> {
              throw new IllegalStateException("no luck");
            })
        .workflow(
            "inner", String.class, (context, input) -> context.activity("look", input, Seen.class))
        .workflow(
            "failing",
            String.class,
            (context, input) -> context.activity("fail", input, String.class))
        .workflow(
            "outer",
            Boolean.class,
            (context, again) -> {
              if (again) {
                throw context.continueAsNew(false);
              }
              Seen inner = context.child("inner", "the-child", "", Seen.class).get();
              return List.of(inner, Seen.of(context.traceparent()));
            });
  }

  @Test
  void aTraceIsCarriedToOtherNodesAndSubWorkflows() throws Exception {
    Recorder turns = new Recorder();
    Recorder activities = new Recorder();
    try (Durable orchestrates = node(turns, 4, 0).start();
        Durable works = node(activities, 0, 4).start()) {
      works.start("outer", "o", true, GIVEN);
      Seen[] seen = orchestrates.await("o", Seen[].class, LONG);
      assertThat(seen).containsExactly(new Seen(OF_SPAN, TRACE), new Seen(GIVEN, TRACE));
    }
    assertThat(activities.begun)
        .containsExactly("ACTIVITY look of the-child under " + GIVEN, "end of look");
    assertThat(turns.begun)
        .startsWith("TURN outer of o under " + GIVEN, "end of outer")
        .contains("TURN inner of the-child under " + GIVEN);
  }

  @Test
  void failuresAreToldAndWhoeverStartsIsInTheTrace() throws Exception {
    Recorder recorder = new Recorder();
    try (Durable engine = node(recorder, 4, 4).start()) {
      engine.start("failing", "f", "");
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () -> engine.await("f", String.class, LONG))
          .isInstanceOf(WorkflowFailedException.class);
    }
    assertThat(recorder.begun)
        .contains(
            "ACTIVITY fail of f under " + GIVEN, "fail failed: no luck", "failing failed: no luck");
  }

  /** Without a tracing library, and whatever nonsense a caller sends, logs have a trace. */
  @Test
  void aWorkflowHasATraceOfItsOwnIfItIsGivenNone() throws Exception {
    try (Durable engine = node(WorkflowTracing.NONE, 4, 4).start()) {
      engine.start("inner", "i", "", "nonsense");
      Seen seen = engine.await("i", Seen.class, LONG);
      assertThat(seen.traceparent()).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
      assertThat(seen.logged()).isEqualTo(seen.traceparent().substring(3, 35));
    }
  }
}

package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What stands in a history. */
sealed interface Event {

  /** A command of the workflow's code; its event id is the command's number. */
  sealed interface Order extends Event {
    /** Whether another order is the same one, come to in another replay. */
    boolean same(Order other);
  }

  /** What happens to a workflow. */
  sealed interface Arrival extends Event {
    Instant at();
  }

  /** How an execution ends. */
  sealed interface End extends Event {}

  /** The parent of a sub-workflow, with the number of the command that waits. */
  record Parent(String instance, long execution, long order) {}

  /**
   * The beginning.
   *
   * @param trace where the workflow stands in a trace; null in histories of older versions
   */
  record Started(
      String name,
      String version,
      JsonNode input,
      @Nullable Parent parent,
      Instant at,
      @Nullable String trace)
      implements Arrival {

    /** A valid place in a trace, its own if none was given. */
    String traceparent() {
      return Traceparent.of(Optional.ofNullable(trace));
    }
  }

  record ActivityScheduled(String name, JsonNode input) implements Order {
    @Override
    public boolean same(Order other) {
      return other instanceof ActivityScheduled one && one.name.equals(name);
    }
  }

  record TimerCreated(Instant fireAt) implements Order {
    @Override
    public boolean same(Order other) {
      return other instanceof TimerCreated;
    }
  }

  record ChildScheduled(String name, String instance) implements Order {
    @Override
    public boolean same(Order other) {
      return other instanceof ChildScheduled one
          && one.name.equals(name)
          && one.instance.equals(instance);
    }
  }

  record VersionChosen(String change, int version) implements Order {
    @Override
    public boolean same(Order other) {
      return other instanceof VersionChosen one && one.change.equals(change);
    }
  }

  record Completed(long order, JsonNode result, Instant at) implements Arrival {}

  record Failed(long order, String error, Instant at) implements Arrival {}

  record TimerFired(long order, Instant at) implements Arrival {}

  record EventRaised(String name, JsonNode data, Instant at) implements Arrival {}

  record CancelRequested(String reason, Instant at) implements Arrival {}

  record WorkflowCompleted(JsonNode output) implements End {}

  record WorkflowFailed(String error) implements End {}

  record ContinuedAsNew(JsonNode input) implements End {}

  default String type() {
    return getClass().getSimpleName();
  }

  static HistoryEvent line(long id, Event event) {
    return new HistoryEvent(id, event.type(), Json.write(event));
  }

  static Event of(HistoryEvent line) {
    return of(line.type(), Json.read(line.data()));
  }

  static Event of(String type, JsonNode data) {
    Class<? extends Event> kind =
        switch (type) {
          case "Started" -> Started.class;
          case "ActivityScheduled" -> ActivityScheduled.class;
          case "TimerCreated" -> TimerCreated.class;
          case "ChildScheduled" -> ChildScheduled.class;
          case "VersionChosen" -> VersionChosen.class;
          case "Completed" -> Completed.class;
          case "Failed" -> Failed.class;
          case "TimerFired" -> TimerFired.class;
          case "EventRaised" -> EventRaised.class;
          case "CancelRequested" -> CancelRequested.class;
          case "WorkflowCompleted" -> WorkflowCompleted.class;
          case "WorkflowFailed" -> WorkflowFailed.class;
          case "ContinuedAsNew" -> ContinuedAsNew.class;
          default -> throw new IllegalArgumentException("no event is called " + type);
        };
    return Json.read(data, kind);
  }
}

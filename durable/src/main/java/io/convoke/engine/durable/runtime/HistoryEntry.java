package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** An entry of a history. */
sealed interface HistoryEntry {

  /** A command of the workflow's code; its event id is the command's number. */
  sealed interface CommandEvent extends HistoryEntry {
    /** Whether a command that the code has issued in a replay is this one of the history. */
    boolean same(CommandEvent other);
  }

  /** An event that a workflow receives. */
  sealed interface IncomingEvent extends HistoryEntry {
    Instant at();
  }

  /** The end of an execution. */
  sealed interface ExecutionEnd extends HistoryEntry {}

  /** The parent of a sub-workflow, with the number of its command. */
  record ParentRef(String instance, long execution, long order) {}

  /**
   * The first event of an execution.
   *
   * @param trace the trace context; null in histories of older versions
   * @param namedIds whether the ids of the code come from the name of the execution; false in
   *     histories of older versions, where they come from its random numbers
   */
  record Started(
      String name,
      String version,
      JsonNode input,
      @Nullable ParentRef parent,
      Instant at,
      @Nullable String trace,
      boolean namedIds)
      implements IncomingEvent {

    /** A valid trace context, a new one if none was given. */
    String traceparent() {
      return Traceparent.of(Optional.ofNullable(trace));
    }
  }

  record ActivityScheduled(String name, JsonNode input) implements CommandEvent {
    @Override
    public boolean same(CommandEvent other) {
      return other instanceof ActivityScheduled one
          && one.name.equals(name)
          && InputComparison.same(input, one.input);
    }
  }

  record TimerCreated(Instant fireAt) implements CommandEvent {
    @Override
    public boolean same(CommandEvent other) {
      return other instanceof TimerCreated;
    }
  }

  record ChildScheduled(String name, String instance) implements CommandEvent {
    @Override
    public boolean same(CommandEvent other) {
      return other instanceof ChildScheduled one
          && one.name.equals(name)
          && one.instance.equals(instance);
    }
  }

  record VersionChosen(String change, int version) implements CommandEvent {
    @Override
    public boolean same(CommandEvent other) {
      return other instanceof VersionChosen one && one.change.equals(change);
    }
  }

  /**
   * One attempt of a step, which has run in the thread of the workflow.
   *
   * @param result null in JSON if it failed
   * @param error of a failed attempt
   * @param errorType the class of what it threw
   * @param pauseMs until the next attempt, or after a result until the workflow continues; null if
   *     the workflow continues at once
   */
  record StepEnded(
      String name,
      JsonNode result,
      @Nullable String error,
      @Nullable String errorType,
      @Nullable Long pauseMs,
      Instant at)
      implements CommandEvent {

    /** A step before its first attempt. */
    static StepEnded named(String name) {
      return new StepEnded(name, NullNode.getInstance(), null, null, null, Instant.EPOCH);
    }

    @Override
    public boolean same(CommandEvent other) {
      return other instanceof StepEnded one && one.name.equals(name);
    }
  }

  record Completed(long order, JsonNode result, Instant at) implements IncomingEvent {}

  /**
   * A failed activity or sub-workflow.
   *
   * @param errorType the class of what was thrown; null if nothing was, and in older histories
   */
  record Failed(long order, String error, Instant at, @Nullable String errorType)
      implements IncomingEvent {}

  record TimerFired(long order, Instant at) implements IncomingEvent {}

  record EventRaised(String name, JsonNode data, Instant at) implements IncomingEvent {}

  record CancelRequested(String reason, Instant at) implements IncomingEvent {}

  record WorkflowCompleted(JsonNode output) implements ExecutionEnd {}

  /**
   * The failure of an execution.
   *
   * @param errorType the class of what was thrown; null if nothing was, and in older histories
   */
  record WorkflowFailed(String error, @Nullable String errorType) implements ExecutionEnd {}

  record ContinuedAsNew(JsonNode input) implements ExecutionEnd {}

  default String type() {
    return getClass().getSimpleName();
  }

  static HistoryEvent line(long id, HistoryEntry historyEntry) {
    return new HistoryEvent(id, historyEntry.type(), Json.write(historyEntry));
  }

  static HistoryEntry of(HistoryEvent line) {
    return of(line.type(), Json.read(line.data()));
  }

  static HistoryEntry of(String type, JsonNode data) {
    Class<? extends HistoryEntry> kind =
        switch (type) {
          case "Started" -> Started.class;
          case "ActivityScheduled" -> ActivityScheduled.class;
          case "TimerCreated" -> TimerCreated.class;
          case "ChildScheduled" -> ChildScheduled.class;
          case "VersionChosen" -> VersionChosen.class;
          case "StepEnded" -> StepEnded.class;
          case "Completed" -> Completed.class;
          case "Failed" -> Failed.class;
          case "TimerFired" -> TimerFired.class;
          case "EventRaised" -> EventRaised.class;
          case "CancelRequested" -> CancelRequested.class;
          case "WorkflowCompleted" -> WorkflowCompleted.class;
          case "WorkflowFailed" -> WorkflowFailed.class;
          case "ContinuedAsNew" -> ContinuedAsNew.class;
          default -> throw new IllegalArgumentException("unknown event type " + type);
        };
    return Json.read(data, kind);
  }
}

package io.convoke.chaos.durable;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import java.time.Duration;

/** Something the client does. {@code at} counts from the start of the fault phase. */
sealed interface FlowOrder {

  Duration at();

  /**
   * Starts a flow, and retries until acknowledged.
   *
   * @param times number of repeated starts after the acknowledgement
   */
  record StartFlow(Duration at, TestFlow flow, int times) implements FlowOrder {}

  /** Raises an event of a flow whose start was acknowledged. */
  record RaiseEvent(Duration at, TestFlow flow, int number) implements FlowOrder {}

  /** Raises all events of a flow whose start was acknowledged, each once the last was. */
  record RaiseAllEvents(Duration at, TestFlow flow) implements FlowOrder {}

  /** Cancels a flow whose start was acknowledged. */
  record CancelFlow(Duration at, TestFlow flow) implements FlowOrder {}

  /** Begins a flow again once its first execution has failed. */
  record RetryFlow(Duration at, TestFlow flow) implements FlowOrder {}

  /** Enqueues a job, several times. */
  record EnqueueJob(Duration at, TestJob job) implements FlowOrder {}

  /** Has a workflow run every second for so long. */
  record ScheduleRuns(Duration at, String id, Duration span) implements FlowOrder {}

  /** As a line for the client. */
  default String line() {
    long millis = at().toMillis();
    return switch (this) {
      case StartFlow(Duration _, TestFlow flow, int times) ->
          "%d start %s %d".formatted(millis, flow.text(), times);
      case RaiseEvent(Duration _, TestFlow flow, int number) ->
          "%d tell %s %d".formatted(millis, flow.id(), number);
      case RaiseAllEvents(Duration _, TestFlow flow) ->
          "%d tellall %s %d".formatted(millis, flow.id(), flow.size());
      case CancelFlow(Duration _, TestFlow flow) -> "%d cancel %s 0".formatted(millis, flow.id());
      case RetryFlow(Duration _, TestFlow flow) -> "%d retry %s 0".formatted(millis, flow.id());
      case EnqueueJob(Duration _, TestJob job) ->
          "%d enqueue %s %d".formatted(millis, job.id(), job.failures());
      case ScheduleRuns(Duration _, String id, Duration span) ->
          "%d schedule %s %d".formatted(millis, id, span.toSeconds());
    };
  }
}

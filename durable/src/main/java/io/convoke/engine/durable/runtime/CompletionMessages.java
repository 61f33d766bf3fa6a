package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.runtime.HistoryEntry.Completed;
import io.convoke.engine.durable.runtime.HistoryEntry.ContinuedAsNew;
import io.convoke.engine.durable.runtime.HistoryEntry.EventRaised;
import io.convoke.engine.durable.runtime.HistoryEntry.ExecutionEnd;
import io.convoke.engine.durable.runtime.HistoryEntry.Failed;
import io.convoke.engine.durable.runtime.HistoryEntry.ParentRef;
import io.convoke.engine.durable.runtime.HistoryEntry.Started;
import io.convoke.engine.durable.runtime.HistoryEntry.WorkflowCompleted;
import io.convoke.engine.durable.runtime.HistoryEntry.WorkflowFailed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The message that an execution sends at its end: to its parent, or to its continuation. */
final class CompletionMessages {
  private CompletionMessages() {}

  static List<InstanceMessage> of(
      WorkflowExecution workflowExecution, Started started, ExecutionEnd executionEnd) {
    Instant at = workflowExecution.turnTime();
    return switch (executionEnd) {
      case WorkflowCompleted done ->
          toParent(
              started,
              parentRef ->
                  MessageEnvelope.message(
                      parentRef.instance(),
                      parentRef.execution(),
                      new Completed(parentRef.order(), done.output(), at)));
      case WorkflowFailed failed -> failed(started, failed, at);
      case ContinuedAsNew again -> next(workflowExecution, started, again, at);
    };
  }

  static List<InstanceMessage> failed(Started started, WorkflowFailed failed, Instant at) {
    return toParent(
        started,
        parentRef ->
            MessageEnvelope.message(
                parentRef.instance(),
                parentRef.execution(),
                new Failed(parentRef.order(), failed.error(), at, failed.errorType())));
  }

  private static List<InstanceMessage> next(
      WorkflowExecution workflowExecution, Started started, ContinuedAsNew again, Instant at) {
    String id = workflowExecution.instanceId();
    long next = workflowExecution.executionId() + 1;
    List<InstanceMessage> messages = new ArrayList<>();
    messages.add(
        MessageEnvelope.message(
            id,
            next,
            new Started(
                started.name(),
                started.version(),
                again.input(),
                started.parent(),
                at,
                started.trace(),
                true)));
    workflowExecution
        .raised()
        .forEach(
            (name, data) ->
                data.forEach(
                    each ->
                        messages.add(
                            MessageEnvelope.message(id, next, new EventRaised(name, each, at)))));
    workflowExecution
        .forNext()
        .forEach(incomingEvent -> messages.add(MessageEnvelope.message(id, next, incomingEvent)));
    return messages;
  }

  private interface ParentMessageFactory {
    InstanceMessage message(ParentRef parentRef);
  }

  private static List<InstanceMessage> toParent(Started started, ParentMessageFactory message) {
    ParentRef parentRef = started.parent();
    return parentRef == null ? List.of() : List.of(message.message(parentRef));
  }
}

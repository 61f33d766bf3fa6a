package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.runtime.Event.Completed;
import io.convoke.engine.durable.runtime.Event.ContinuedAsNew;
import io.convoke.engine.durable.runtime.Event.End;
import io.convoke.engine.durable.runtime.Event.EventRaised;
import io.convoke.engine.durable.runtime.Event.Failed;
import io.convoke.engine.durable.runtime.Event.Parent;
import io.convoke.engine.durable.runtime.Event.Started;
import io.convoke.engine.durable.runtime.Event.WorkflowCompleted;
import io.convoke.engine.durable.runtime.Event.WorkflowFailed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The message that an execution sends at its end: to its parent, or to its continuation. */
final class Farewell {
  private Farewell() {}

  static List<InstanceMessage> of(Execution execution, Started started, End end) {
    Instant at = execution.now();
    return switch (end) {
      case WorkflowCompleted done ->
          toParent(
              started,
              parent ->
                  Envelope.message(
                      parent.instance(),
                      parent.execution(),
                      new Completed(parent.order(), done.output(), at)));
      case WorkflowFailed failed -> failed(started, failed, at);
      case ContinuedAsNew again -> next(execution, started, again, at);
    };
  }

  static List<InstanceMessage> failed(Started started, WorkflowFailed failed, Instant at) {
    return toParent(
        started,
        parent ->
            Envelope.message(
                parent.instance(),
                parent.execution(),
                new Failed(parent.order(), failed.error(), at)));
  }

  private static List<InstanceMessage> next(
      Execution execution, Started started, ContinuedAsNew again, Instant at) {
    String id = execution.instanceId();
    List<InstanceMessage> messages = new ArrayList<>();
    messages.add(
        Envelope.message(
            id,
            execution.executionId() + 1,
            new Started(
                started.name(),
                started.version(),
                again.input(),
                started.parent(),
                at,
                started.trace())));
    execution
        .raised()
        .forEach(
            (name, data) ->
                data.forEach(
                    each ->
                        messages.add(
                            Envelope.message(
                                id, Envelope.CURRENT, new EventRaised(name, each, at)))));
    execution
        .forNext()
        .forEach(arrival -> messages.add(Envelope.message(id, Envelope.CURRENT, arrival)));
    return messages;
  }

  private interface ForParent {
    InstanceMessage message(Parent parent);
  }

  private static List<InstanceMessage> toParent(Started started, ForParent message) {
    Parent parent = started.parent();
    return parent == null ? List.of() : List.of(message.message(parent));
  }
}

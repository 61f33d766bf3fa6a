package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A message to an instance: an incoming event.
 *
 * @param execution its recipient; 0 for the current one
 */
record MessageEnvelope(long execution, String type, JsonNode data) {
  static final long CURRENT = 0;

  static InstanceMessage message(
      String instanceId, long execution, HistoryEntry.IncomingEvent incomingEvent) {
    return message(instanceId, execution, incomingEvent, Optional.empty());
  }

  static InstanceMessage message(
      String instanceId,
      long execution,
      HistoryEntry.IncomingEvent incomingEvent,
      Optional<Instant> visibleAt) {
    MessageEnvelope messageEnvelope =
        new MessageEnvelope(execution, incomingEvent.type(), Json.tree(incomingEvent));
    return new InstanceMessage(instanceId, Json.write(messageEnvelope), visibleAt);
  }

  static MessageEnvelope read(String text) {
    return Json.read(text, MessageEnvelope.class);
  }

  boolean begins() {
    return type.equals(HistoryEntry.Started.class.getSimpleName());
  }

  /** Whether a client sent it, which cannot know whether the instance has begun. */
  boolean fromOutside() {
    return type.equals(HistoryEntry.EventRaised.class.getSimpleName())
        || type.equals(HistoryEntry.CancelRequested.class.getSimpleName());
  }

  /** Whether an execution that continued as new left it to the next one. */
  boolean leftOver() {
    return execution != CURRENT && fromOutside();
  }

  HistoryEntry.IncomingEvent arrival() {
    if (HistoryEntry.of(type, data) instanceof HistoryEntry.IncomingEvent incomingEvent) {
      return incomingEvent;
    }
    throw new IllegalArgumentException(type + " is no incoming event");
  }
}

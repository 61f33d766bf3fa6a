package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A message to an instance: something that arrives.
 *
 * @param execution the one that it is for; 0 for whichever is current
 */
record Envelope(long execution, String type, JsonNode data) {
  static final long CURRENT = 0;

  static InstanceMessage message(String instanceId, long execution, Event.Arrival arrival) {
    return message(instanceId, execution, arrival, Optional.empty());
  }

  static InstanceMessage message(
      String instanceId, long execution, Event.Arrival arrival, Optional<Instant> visibleAt) {
    Envelope envelope = new Envelope(execution, arrival.type(), Json.tree(arrival));
    return new InstanceMessage(instanceId, Json.write(envelope), visibleAt);
  }

  static Envelope read(String text) {
    return Json.read(text, Envelope.class);
  }

  boolean begins() {
    return type.equals(Event.Started.class.getSimpleName());
  }

  /**
   * Whether it was sent from outside, where the sender cannot know whether the instance has begun.
   */
  boolean fromOutside() {
    return type.equals(Event.EventRaised.class.getSimpleName())
        || type.equals(Event.CancelRequested.class.getSimpleName());
  }

  Event.Arrival arrival() {
    if (Event.of(type, data) instanceof Event.Arrival arrival) {
      return arrival;
    }
    throw new IllegalArgumentException(type + " does not arrive");
  }
}

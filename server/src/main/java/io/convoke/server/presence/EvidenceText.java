package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.server.presence.merge.Evidence;
import java.io.StringWriter;
import java.time.Instant;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

/**
 * How evidence stands in Redis: one JSON object, times in milliseconds, what is missing left out.
 * Written by hand, because every webhook pays for it.
 */
final class EvidenceText {
  private static final int USUAL_LENGTH = 256;

  private EvidenceText() {}

  static String write(Evidence evidence) {
    StringWriter text = new StringWriter(USUAL_LENGTH);
    try (JsonGenerator json = Json.mapper().createGenerator(text)) {
      json.writeStartObject();
      json.writeStringProperty("event_id", evidence.eventId());
      json.writeStringProperty("kind", evidence.kind().name());
      json.writeStringProperty("room", evidence.room());
      json.writeStringProperty("session_id", evidence.sessionId());
      evidence.userId().ifPresent(it -> json.writeStringProperty("user_id", it));
      evidence.userName().ifPresent(it -> json.writeStringProperty("user_name", it));
      evidence.joinedAt().ifPresent(it -> json.writeNumberProperty("joined_at", it.toEpochMilli()));
      json.writeNumberProperty("at", evidence.at().toEpochMilli());
      if (evidence.hidden()) {
        json.writeBooleanProperty("hidden", true);
      }
      json.writeEndObject();
    }
    return text.toString();
  }

  /**
   * The evidence in a text of {@link #write}.
   *
   * @throws RuntimeException when it is something else
   */
  static Evidence read(String text) {
    return read(Json.read(text));
  }

  static Evidence read(JsonNode json) {
    return new Evidence(
        json.required("event_id").asString(),
        Evidence.Kind.valueOf(json.required("kind").asString()),
        json.required("room").asString(),
        json.required("session_id").asString(),
        json.optional("user_id").map(JsonNode::asString),
        json.optional("user_name").map(JsonNode::asString),
        json.optional("joined_at").map(EvidenceText::time),
        time(json.required("at")),
        json.path("hidden").asBoolean(false));
  }

  private static Instant time(JsonNode millis) {
    return Instant.ofEpochMilli(millis.asLong());
  }
}

package io.convoke.fakes.client;

import java.time.Instant;
import tools.jackson.databind.JsonNode;

/** One event as {@code /events} shows it. */
public record StreamedEvent(long seq, String type, String subject, Instant at, JsonNode data) {

  static StreamedEvent of(JsonNode json) {
    return new StreamedEvent(
        json.path("seq").asLong(),
        json.path("type").asString(""),
        json.path("subject").asString(""),
        Instant.parse(json.path("at").asString()),
        json.path("data"));
  }
}

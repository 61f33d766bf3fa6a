package io.convoke.client;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A part of a list.
 *
 * @param nextCursor leads to the next page; empty on the last one
 */
public record ListPage<T>(List<T> items, Optional<String> nextCursor) {
  static <T> ListPage<T> of(JsonNode answer, Class<T> type) {
    List<T> items = answer.path("items").valueStream().map(item -> ApiJson.as(item, type)).toList();
    return new ListPage<>(items, cursor(answer));
  }

  static Optional<String> cursor(JsonNode answer) {
    return Optional.of(answer.path("next_cursor"))
        .filter(JsonNode::isString)
        .map(JsonNode::asString);
  }
}

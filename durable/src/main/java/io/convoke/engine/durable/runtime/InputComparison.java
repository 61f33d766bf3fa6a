package io.convoke.engine.durable.runtime;

import io.convoke.engine.json.Json;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * The input of a command, as replays compare it. What may differ between two processes that run the
 * same code is no difference: the order of an array, which may have been a set, and a field that is
 * null in one and missing in the other, because the code has got it since.
 */
final class InputComparison {
  private InputComparison() {}

  /**
   * Whether an input is the one of the history.
   *
   * @param past as it was read from the history
   * @param now as a history would keep what the code has passed
   */
  static boolean same(JsonNode past, JsonNode now) {
    return past.equals(now) || canonical(past).equals(canonical(now));
  }

  private static String canonical(JsonNode node) {
    if (node.isObject()) {
      return node.propertyStream()
          .filter(field -> !field.getValue().isNull())
          .map(field -> Json.write(field.getKey()) + ":" + canonical(field.getValue()))
          .sorted()
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (node.isArray()) {
      return node.valueStream()
          .map(InputComparison::canonical)
          .sorted()
          .collect(Collectors.joining(",", "[", "]"));
    }
    return node.toString();
  }
}

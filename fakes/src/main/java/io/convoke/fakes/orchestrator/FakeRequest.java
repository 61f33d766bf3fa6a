package io.convoke.fakes.orchestrator;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A request with strict accessors.
 *
 * @param path decoded, one element for each segment
 * @param header the checked headers, names in lower case
 */
public record FakeRequest(
    String method,
    java.util.List<String> path,
    Map<String, String> query,
    Map<String, String> header,
    String text) {
  private static final JsonMapper JSON = new JsonMapper();

  /** Refuses query parameters that the route does not know. */
  public FakeRequest allowing(String... parameters) {
    Set<String> strange = new TreeSet<>(query.keySet());
    strange.removeAll(Set.of(parameters));
    if (!strange.isEmpty()) {
      throw new FakeApiError(400, "unknown query parameters " + strange);
    }
    return this;
  }

  /** A query parameter, if it is there. */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(query.get(name));
  }

  /** A query parameter that must be a number if it is there. */
  public Optional<Long> number(String name) {
    try {
      return parameter(name).map(Long::valueOf);
    } catch (NumberFormatException e) {
      throw new FakeApiError(400, name + " must be a number");
    }
  }

  /** The body, which must be a JSON object with that content type. */
  public JsonNode object() {
    if (!header.getOrDefault("content-type", "").startsWith("application/json")) {
      throw new FakeApiError(415, "the body must be application/json");
    }
    try {
      JsonNode body = JSON.readTree(text);
      if (body.isObject()) {
        return body;
      }
    } catch (JacksonException e) {
      // Answered below.
    }
    throw new FakeApiError(400, "the body must be a JSON object");
  }

  /** Refuses fields of an object that the API does not have. */
  public static void only(JsonNode object, String what, String... fields) {
    Set<String> strange = new TreeSet<>(object.propertyNames());
    strange.removeAll(Set.of(fields));
    if (!strange.isEmpty()) {
      throw new FakeApiError(400, "unknown fields of " + what + ": " + strange);
    }
  }

  /** A field that must be a text. */
  public static String text(JsonNode object, String field) {
    JsonNode value = object.path(field);
    if (!value.isString() || value.asString().isEmpty()) {
      throw new FakeApiError(400, field + " must be a text");
    }
    return value.asString();
  }
}

package io.convoke.server.platform.daily;

import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The simple fields of a webhook body that we read, without the tree around them: every webhook
 * pays for what is built here.
 */
final class DailyFields {
  private static final Set<String> BODY = Set.of("test", "type", "id", "event_ts");
  private static final Set<String> PAYLOAD =
      Set.of(
          "room",
          "room_name",
          "session_id",
          "user_id",
          "user_name",
          "joined_at",
          "duration",
          "start_ts",
          "end_ts");
  private static final Set<String> PERMISSIONS = Set.of("hasPresence");

  /** Strings, doubles and booleans by name; what is null or an object has no place here. */
  private final Map<String, Object> values = HashMap.newHashMap(16);

  private DailyFields() {}

  /**
   * Reads a whole body; empty when it is JSON and not an object.
   *
   * @throws JacksonException when it is not JSON
   */
  static Optional<DailyFields> read(byte[] body) {
    try (JsonParser json = Json.mapper().createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      DailyFields fields = new DailyFields();
      fields.body(json);
      return json.nextToken() == null ? Optional.of(fields) : Optional.empty();
    }
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  Optional<String> text(String name) {
    return values.get(name) instanceof String text ? DailyValues.text(text) : Optional.empty();
  }

  /** Seconds, milliseconds or RFC 3339. */
  Optional<Instant> time(String name) {
    return values.get(name) instanceof Double number
        ? DailyValues.time(number)
        : text(name).flatMap(DailyValues::time);
  }

  OptionalDouble number(String name) {
    return values.get(name) instanceof Double number
        ? OptionalDouble.of(number)
        : OptionalDouble.empty();
  }

  Optional<Boolean> flag(String name) {
    return values.get(name) instanceof Boolean flag ? Optional.of(flag) : Optional.empty();
  }

  private void body(JsonParser json) {
    for (String name = json.nextName(); name != null; name = json.nextName()) {
      JsonToken token = json.nextToken();
      if (token == JsonToken.START_OBJECT && name.equals("payload")) {
        payload(json);
      } else {
        keep(json, token, name, BODY);
      }
    }
  }

  private void payload(JsonParser json) {
    for (String name = json.nextName(); name != null; name = json.nextName()) {
      JsonToken token = json.nextToken();
      if (token == JsonToken.START_OBJECT && name.equals("permissions")) {
        permissions(json);
      } else {
        keep(json, token, name, PAYLOAD);
      }
    }
  }

  private void permissions(JsonParser json) {
    for (String name = json.nextName(); name != null; name = json.nextName()) {
      keep(json, json.nextToken(), name, PERMISSIONS);
    }
  }

  private void keep(JsonParser json, JsonToken token, String name, Set<String> wanted) {
    if (token.isStructStart()) {
      json.skipChildren();
    } else if (wanted.contains(name)) {
      if (token == JsonToken.VALUE_STRING) {
        values.put(name, json.getString());
      } else if (token.isNumeric()) {
        values.put(name, json.getDoubleValue());
      } else if (token.isBoolean()) {
        values.put(name, json.getBooleanValue());
      }
    }
  }
}

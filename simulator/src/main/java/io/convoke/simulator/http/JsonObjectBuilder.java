package io.convoke.simulator.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A JSON object in the making: keys stay in order, an absent value becomes null. */
public final class JsonObjectBuilder {

  private final Map<String, Object> map = new LinkedHashMap<>();

  public static JsonObjectBuilder of(String key, Object value) {
    return new JsonObjectBuilder().put(key, value);
  }

  public JsonObjectBuilder put(String key, Object value) {
    map.put(key, value);
    return this;
  }

  @SuppressWarnings("NullAway") // JSON's null is a null value in the map
  public JsonObjectBuilder put(String key, Optional<?> value) {
    map.put(key, value.orElse(null));
    return this;
  }

  public JsonObjectBuilder putNull(String key) {
    return put(key, Optional.empty());
  }

  /** Leaves the key out when the value is absent. */
  public JsonObjectBuilder putIfPresent(String key, Optional<?> value) {
    value.ifPresent(v -> map.put(key, v));
    return this;
  }

  public Map<String, Object> map() {
    return map;
  }
}

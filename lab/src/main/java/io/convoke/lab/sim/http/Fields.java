package io.convoke.lab.sim.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A JSON object in the making: keys stay in order, an absent value becomes null. */
public final class Fields {

  private final Map<String, Object> map = new LinkedHashMap<>();

  public static Fields of(String key, Object value) {
    return new Fields().put(key, value);
  }

  public Fields put(String key, Object value) {
    map.put(key, value);
    return this;
  }

  @SuppressWarnings("NullAway") // JSON's null is a null value in the map
  public Fields put(String key, Optional<?> value) {
    map.put(key, value.orElse(null));
    return this;
  }

  public Fields putNull(String key) {
    return put(key, Optional.empty());
  }

  /** Leaves the key out when the value is absent. */
  public Fields putIfPresent(String key, Optional<?> value) {
    value.ifPresent(v -> map.put(key, v));
    return this;
  }

  public Map<String, Object> map() {
    return map;
  }
}

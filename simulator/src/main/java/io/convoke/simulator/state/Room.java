package io.convoke.simulator.state;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A place where meetings happen, one after another.
 *
 * @param apiCreated whether the REST API created it, rather than a script or a hand
 * @param config the properties that were given, kept as they came
 */
public record Room(
    String id,
    String name,
    String privacy,
    boolean apiCreated,
    Instant createdAt,
    Map<String, Object> config,
    Lobby lobby) {

  public Room {
    config = Collections.unmodifiableMap(new LinkedHashMap<>(config));
  }

  /** How many may be connected at once. */
  int capacity() {
    return config.get("max_participants") instanceof Number limit && limit.intValue() > 0
        ? limit.intValue()
        : Integer.MAX_VALUE;
  }
}

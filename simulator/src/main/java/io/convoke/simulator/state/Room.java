package io.convoke.simulator.state;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A place where meetings happen, one after another.
 *
 * @param apiCreated whether the REST API created it, rather than a script or the control API
 * @param config its properties, as received
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

  /** The maximum number of connections. */
  int capacity() {
    return config.get("max_participants") instanceof Number limit && limit.intValue() > 0
        ? limit.intValue()
        : Integer.MAX_VALUE;
  }
}

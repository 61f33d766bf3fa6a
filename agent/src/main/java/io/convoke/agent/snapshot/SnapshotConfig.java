package io.convoke.agent.snapshot;

import io.convoke.agent.pod.UsageException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * The settings of snapshots: the rooms' base URL and timeouts.
 *
 * @param rooms the room of a channel is at this address, a slash, and the channel
 * @param patience with a platform that does not answer
 * @param emptyRoomTimeout how long to wait in an empty room
 * @param lastLeftTimeout how long to stay after the last participant left
 */
record SnapshotConfig(
    URI rooms, Duration patience, Duration emptyRoomTimeout, Duration lastLeftTimeout) {
  private static final String ROOMS = "CONVOKE_SNAPSHOT_ROOMS_URL";

  /**
   * Reads them from the environment.
   *
   * @throws UsageException with a message for the operator
   */
  static SnapshotConfig read(Map<String, String> environment) {
    String given = environment.getOrDefault(ROOMS, "");
    String rooms = given.isEmpty() ? "http://127.0.0.1:9100/rooms" : given;
    if (!rooms.matches("https?://\\S+")) {
      throw new UsageException(ROOMS + " must be a URL that begins with http:// or https://");
    }
    return new SnapshotConfig(
        URI.create(rooms.endsWith("/") ? rooms.substring(0, rooms.length() - 1) : rooms),
        Duration.ofSeconds(20),
        Duration.ofMinutes(10),
        Duration.ofMinutes(1));
  }
}

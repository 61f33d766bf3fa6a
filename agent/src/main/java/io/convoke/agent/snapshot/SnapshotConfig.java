package io.convoke.agent.snapshot;

import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStoreConfig;
import io.convoke.agent.blobs.BlobStoreConfig.S3Credentials;
import io.convoke.agent.pod.ServerUrl;
import io.convoke.agent.pod.UsageException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of snapshots: the rooms' base URL, timeouts, and the blob store.
 *
 * @param rooms the room of a channel is at this address, a slash, and the channel
 * @param patience how long to retry a platform that does not answer
 * @param emptyRoomTimeout how long to wait in an empty room
 * @param lastLeftTimeout how long to stay after the last participant left
 */
record SnapshotConfig(
    URI rooms, Duration patience, Duration emptyRoomTimeout, Duration lastLeftTimeout) {
  private static final String STORE = "CONVOKE_BLOB_STORE";
  private static final String ROOMS = "CONVOKE_SNAPSHOT_ROOMS_URL";
  private static final String ENDPOINT = "CONVOKE_S3_ENDPOINT";

  /**
   * Reads the settings from the environment.
   *
   * @throws UsageException with a message for the operator
   */
  static SnapshotConfig read(Map<String, String> environment) {
    String given = environment.getOrDefault(ROOMS, "");
    String rooms = given.isEmpty() ? "http://127.0.0.1:9100/rooms" : given;
    return new SnapshotConfig(
        ServerUrl.read(ROOMS, rooms.endsWith("/") ? rooms.substring(0, rooms.length() - 1) : rooms),
        Duration.ofSeconds(20),
        Duration.ofMinutes(10),
        Duration.ofMinutes(1));
  }

  /**
   * Opens the blob store that the server's settings name.
   *
   * @throws UsageException if they are invalid, with a message for the operator
   */
  static BlobStore openBlobStore(Map<String, String> environment) {
    try {
      return blobStore(environment).open();
    } catch (IOException e) {
      throw new UsageException("cannot store pictures, " + STORE + " fails: " + e);
    } catch (IllegalArgumentException e) {
      throw new UsageException("cannot store pictures: " + e.getMessage());
    }
  }

  static BlobStoreConfig blobStore(Map<String, String> environment) {
    try {
      return new BlobStoreConfig(
          text(environment, STORE).orElse("file:.convoke/blobs"),
          text(environment, ENDPOINT).map(url -> ServerUrl.read(ENDPOINT, url)),
          text(environment, "CONVOKE_S3_REGION"),
          keys(environment));
    } catch (IllegalArgumentException e) {
      throw new UsageException(STORE + " must be " + e.getMessage());
    }
  }

  private static Optional<S3Credentials> keys(Map<String, String> environment) {
    Optional<String> access = text(environment, "CONVOKE_S3_ACCESS_KEY");
    Optional<String> secret = text(environment, "CONVOKE_S3_SECRET_KEY");
    S3Credentials.fault(access, secret)
        .ifPresent(
            fault -> {
              throw new UsageException(fault);
            });
    return S3Credentials.of(access, secret);
  }

  private static Optional<String> text(Map<String, String> environment, String name) {
    return Optional.of(environment.getOrDefault(name, "")).filter(text -> !text.isEmpty());
  }
}

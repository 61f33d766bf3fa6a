package io.convoke.agent.snapshot;

import io.convoke.agent.pod.UsageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The server's blob store, as its settings name it. */
final class SnapshotStoreFactory {
  private static final String STORE = "CONVOKE_BLOB_STORE";
  private static final String FILE = "file:";
  private static final String S3 = "s3://";

  private SnapshotStoreFactory() {}

  /**
   * Opens it by {@code CONVOKE_BLOB_STORE} and, for {@code s3://}, the {@code CONVOKE_S3_*}.
   *
   * @throws UsageException if they are invalid, with a message for the operator
   */
  static SnapshotStore open(Map<String, String> environment) {
    String store = text(environment, STORE).orElse("file:.convoke/blobs");
    if (store.startsWith(S3)) {
      return new S3SnapshotStore(place(environment, store));
    }
    Path folder = Path.of(store.startsWith(FILE) ? store.substring(FILE.length()) : store);
    try {
      return new FolderSnapshotStore(folder);
    } catch (IOException e) {
      throw new UsageException("pictures cannot be written to " + folder + ": " + e.getMessage());
    }
  }

  static S3SnapshotStore.S3Location place(Map<String, String> environment, String store) {
    String rest = store.substring(S3.length());
    int slash = rest.indexOf('/');
    String bucket = slash < 0 ? rest : rest.substring(0, slash);
    if (bucket.isEmpty()) {
      throw new UsageException(STORE + " names no bucket");
    }
    return new S3SnapshotStore.S3Location(
        bucket,
        slash < 0 ? "" : rest.substring(slash).replaceAll("^/+|/+$", ""),
        text(environment, "CONVOKE_S3_ENDPOINT").map(SnapshotStoreFactory::endpoint),
        text(environment, "CONVOKE_S3_REGION"),
        text(environment, "CONVOKE_S3_ACCESS_KEY")
            .flatMap(
                access ->
                    text(environment, "CONVOKE_S3_SECRET_KEY")
                        .map(secret -> new S3SnapshotStore.S3Credentials(access, secret))));
  }

  private static URI endpoint(String text) {
    if (!text.matches("https?://\\S+")) {
      throw new UsageException(
          "CONVOKE_S3_ENDPOINT must be a URL that begins with http:// or https://");
    }
    return URI.create(text);
  }

  private static Optional<String> text(Map<String, String> environment, String name) {
    return Optional.of(environment.getOrDefault(name, "")).filter(text -> !text.isEmpty());
  }
}

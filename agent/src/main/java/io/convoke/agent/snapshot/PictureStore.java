package io.convoke.agent.snapshot;

import io.convoke.agent.pod.UsageFault;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The server's blob store, as its settings name it. */
final class PictureStore {
  private static final String STORE = "CONVOKE_BLOB_STORE";
  private static final String FILE = "file:";
  private static final String S3 = "s3://";

  private PictureStore() {}

  /**
   * Opens it by {@code CONVOKE_BLOB_STORE} and, for {@code s3://}, the {@code CONVOKE_S3_*}.
   *
   * @throws UsageFault if they are invalid, with a message for the operator
   */
  static Pictures open(Map<String, String> environment) {
    String store = text(environment, STORE).orElse("file:.convoke/blobs");
    if (store.startsWith(S3)) {
      return new S3Pictures(place(environment, store));
    }
    Path folder = Path.of(store.startsWith(FILE) ? store.substring(FILE.length()) : store);
    try {
      return new FolderPictures(folder);
    } catch (IOException e) {
      throw new UsageFault("pictures cannot be written to " + folder + ": " + e.getMessage());
    }
  }

  static S3Pictures.Place place(Map<String, String> environment, String store) {
    String rest = store.substring(S3.length());
    int slash = rest.indexOf('/');
    String bucket = slash < 0 ? rest : rest.substring(0, slash);
    if (bucket.isEmpty()) {
      throw new UsageFault(STORE + " names no bucket");
    }
    return new S3Pictures.Place(
        bucket,
        slash < 0 ? "" : rest.substring(slash).replaceAll("^/+|/+$", ""),
        text(environment, "CONVOKE_S3_ENDPOINT").map(PictureStore::endpoint),
        text(environment, "CONVOKE_S3_REGION"),
        text(environment, "CONVOKE_S3_ACCESS_KEY")
            .flatMap(
                access ->
                    text(environment, "CONVOKE_S3_SECRET_KEY")
                        .map(secret -> new S3Pictures.Keys(access, secret))));
  }

  private static URI endpoint(String text) {
    if (!text.matches("https?://\\S+")) {
      throw new UsageFault(
          "CONVOKE_S3_ENDPOINT must be a URL that begins with http:// or https://");
    }
    return URI.create(text);
  }

  private static Optional<String> text(Map<String, String> environment, String name) {
    return Optional.of(environment.getOrDefault(name, "")).filter(text -> !text.isEmpty());
  }
}

package io.convoke.server.egress;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.BlobInfo;
import io.convoke.agent.blobs.BlobStore.BlobPage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The files of egresses in the blob store, which pods put there under {@code egress/TASK/}. */
final class EgressFiles {
  /** What pods tell each other; it is no file of the user. */
  static final String NOTE = "part.json";

  private static final Map<String, String> TYPES =
      Map.of(
          "mp4", "video/mp4",
          "ogg", "audio/ogg",
          "ts", "video/mp2t",
          "m3u8", "application/vnd.apple.mpegurl",
          "png", "image/png",
          "json", "text/plain");

  private final BlobStore blobs;

  EgressFiles(BlobStore blobs) {
    this.blobs = blobs;
  }

  static List<String> mediaTypes() {
    return TYPES.values().stream().sorted().toList();
  }

  /** The media type of a name; empty for what is no file of the user. */
  static Optional<String> mediaType(String name) {
    return name.endsWith(NOTE)
        ? Optional.empty()
        : Optional.ofNullable(TYPES.get(name.substring(name.lastIndexOf('.') + 1)));
  }

  static BlobKey key(String task, String name) {
    return new BlobKey(prefix(task) + name);
  }

  private static String prefix(String task) {
    return "egress/" + task + "/";
  }

  /** The name of a key within its egress. */
  static String name(String task, String key) {
    return key.substring(prefix(task).length());
  }

  /** A page of files, by name. */
  BlobPage page(String task, Optional<String> after, int limit) throws IOException {
    return blobs.list(prefix(task), after.map(name -> prefix(task) + name), limit);
  }

  /**
   * What pods stored of an egress.
   *
   * @param finished whether its result is there, which a pod writes last
   */
  record StoredFiles(long bytes, boolean segments, boolean finished) {}

  /** Reads the list of all files. */
  StoredFiles stored(String task) throws IOException {
    long bytes = 0;
    boolean segments = false;
    boolean finished = false;
    Optional<String> after = Optional.empty();
    do {
      BlobPage page = blobs.list(prefix(task), after, BlobStore.PAGE_MAX);
      for (BlobInfo info : page.blobs()) {
        String name = name(task, info.key());
        bytes += info.size();
        segments |= name.contains("/segment-");
        finished |= name.equals("result.json");
      }
      after = page.next();
    } while (after.isPresent());
    return new StoredFiles(bytes, segments, finished);
  }

  /** Deletes all files. */
  void delete(String task) throws IOException {
    BlobPage page;
    do {
      page = blobs.list(prefix(task), Optional.empty(), BlobStore.PAGE_MAX);
      for (BlobInfo info : page.blobs()) {
        boolean _ = blobs.delete(new BlobKey(info.key()));
      }
    } while (page.next().isPresent());
  }

  BlobStore store() {
    return blobs;
  }
}

package io.convoke.agent.egress;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.BlobInfo;
import io.convoke.agent.blobs.BlobStore.BlobPage;
import io.convoke.engine.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What pods have stored of one egress, under {@code egress/TASK/} of the blob store. It is listed
 * once, since one pod at a time writes it. For one thread.
 */
final class EgressLedger {
  private static final int SMALL_MAX = 1 << 20;

  private final BlobStore blobs;
  private final String task;
  private final List<BlobInfo> before;
  private final List<EgressSegment> segments = new ArrayList<>();
  private long bytes;

  private EgressLedger(BlobStore blobs, String task, List<BlobInfo> before) {
    this.blobs = blobs;
    this.task = task;
    this.before = before;
    for (BlobInfo info : before) {
      bytes += info.size();
      // Earlier releases stored segments without a sound or picture, which nothing can join.
      EgressSegment.of(info.key()).filter(it -> it.length().isPositive()).ifPresent(segments::add);
    }
  }

  /** Lists what earlier attempts have stored. */
  static EgressLedger open(BlobStore blobs, String task) throws IOException {
    return new EgressLedger(blobs, task, infos(blobs, task));
  }

  /** Segments of all attempts. */
  List<EgressSegment> segments() {
    return List.copyOf(segments);
  }

  /** The size of the files of all attempts. */
  long bytes() {
    return bytes;
  }

  private static List<BlobInfo> infos(BlobStore blobs, String task) throws IOException {
    List<BlobInfo> all = new ArrayList<>();
    Optional<String> after = Optional.empty();
    do {
      BlobPage page = blobs.list(EgressSegment.folder(task), after, BlobStore.PAGE_MAX);
      all.addAll(page.blobs());
      after = page.next();
    } while (after.isPresent());
    return all;
  }

  /** Stores a file, which is deleted then. */
  void store(BlobKey key, Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      bytes += blobs.put(key, in).size();
    }
    EgressSegment.of(key.text()).ifPresent(segments::add);
    Files.delete(file);
  }

  /** Stores a file in the place of an older one of this name; the file stays. */
  void copy(String name, Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      var _ = blobs.put(key(name), in);
    }
  }

  /** Stores a small document under the task's folder, in the place of an older one. */
  void write(String name, Object document) throws IOException {
    write(name, Json.bytes(document));
  }

  void write(String name, String text) throws IOException {
    write(name, text.getBytes(StandardCharsets.UTF_8));
  }

  private void write(String name, byte[] bytes) throws IOException {
    var _ = blobs.put(key(name), new ByteArrayInputStream(bytes));
  }

  /** A document under the task's folder. */
  Optional<JsonNode> document(String name) throws IOException {
    return blobs.read(key(name), 0, SMALL_MAX).map(Json.mapper()::readTree);
  }

  /** The documents of this name in all parts of earlier attempts. */
  List<JsonNode> documentsBefore(String name) throws IOException {
    List<JsonNode> found = new ArrayList<>();
    for (BlobInfo info : before) {
      if (info.key().endsWith("/" + name)) {
        Optional<byte[]> bytes = blobs.read(new BlobKey(info.key()), 0, SMALL_MAX);
        if (bytes.isPresent()) {
          found.add(Json.mapper().readTree(bytes.get()));
        }
      }
    }
    return found;
  }

  /** Copies a segment to a file. */
  void fetch(EgressSegment segment, Path file) throws IOException {
    try (InputStream in =
        blobs
            .open(segment.key())
            .orElseThrow(() -> new IOException(segment.key() + " is not there any more"))) {
      long _ = Files.copy(in, file);
    }
  }

  BlobKey key(String name) {
    return new BlobKey(EgressSegment.folder(task) + name);
  }
}

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

/** What pods have stored of one egress, under {@code egress/TASK/} of the blob store. */
final class EgressLedger {
  private static final int SMALL_MAX = 1 << 20;

  private final BlobStore blobs;
  private final String task;

  EgressLedger(BlobStore blobs, String task) {
    this.blobs = blobs;
    this.task = task;
  }

  /** Segments of all attempts. */
  List<EgressSegment> segments() throws IOException {
    return infos().stream().flatMap(info -> EgressSegment.of(info.key()).stream()).toList();
  }

  /** The size of all that is stored. */
  long bytes() throws IOException {
    return infos().stream().mapToLong(BlobInfo::size).sum();
  }

  private List<BlobInfo> infos() throws IOException {
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
      var _ = blobs.put(key, in);
    }
    Files.delete(file);
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

  /** The documents of this name in all parts of all attempts. */
  List<JsonNode> documents(String name) throws IOException {
    List<JsonNode> found = new ArrayList<>();
    for (BlobInfo info : infos()) {
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

package io.convoke.agent.egress;

import io.convoke.agent.RetryPolicy;
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
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * What pods have stored of one egress, under {@code egress/TASK/} of the blob store. It is listed
 * once, since one pod at a time writes it. For one thread; {@link #put} and {@link #write} may be
 * called by any.
 *
 * <p>What begins or ends an attempt is repeated while the store fails. {@link #store}, {@link #put}
 * and {@link #write} are tried once, since a recording must not wait for them; the end of one calls
 * them {@link #patiently}.
 */
final class EgressLedger {
  private static final Logger log = LoggerFactory.getLogger(EgressLedger.class);
  private static final int SMALL_MAX = 1 << 20;

  /** Less than a lease: attempts that cannot begin count as failures in a row. */
  private static final Duration OPEN_MAX = Duration.ofSeconds(30);

  private final BlobStore blobs;
  private final String task;
  private final RetryPolicy retryPolicy;
  private final List<BlobInfo> before;
  private final List<EgressSegment> segments = new ArrayList<>();
  private long bytes;

  /** A call of the store. */
  @FunctionalInterface
  interface StoreCall<T> {
    T call() throws IOException;
  }

  private EgressLedger(
      BlobStore blobs, String task, RetryPolicy retryPolicy, List<BlobInfo> before) {
    this.blobs = blobs;
    this.task = task;
    this.retryPolicy = retryPolicy;
    this.before = before;
    for (BlobInfo info : before) {
      bytes += info.size();
      // Earlier releases stored segments without a sound or picture, which nothing can join.
      EgressSegment.of(info.key()).filter(it -> it.length().isPositive()).ifPresent(segments::add);
    }
  }

  /** Lists what earlier attempts have stored. */
  static EgressLedger open(BlobStore blobs, String task, RetryPolicy retryPolicy)
      throws IOException, InterruptedException {
    return new EgressLedger(
        blobs, task, retryPolicy, repeated(opening(retryPolicy), () -> infos(blobs, task)));
  }

  /**
   * Repeats a call while the store fails.
   *
   * @throws IOException of the last call, when it has failed for the horizon of the policy
   */
  <T> T patiently(StoreCall<T> call) throws IOException, InterruptedException {
    return repeated(retryPolicy, call);
  }

  private static RetryPolicy opening(RetryPolicy retryPolicy) {
    return retryPolicy.horizon().compareTo(OPEN_MAX) > 0
        ? retryPolicy.within(OPEN_MAX)
        : retryPolicy;
  }

  private static <T> T repeated(RetryPolicy retryPolicy, StoreCall<T> call)
      throws IOException, InterruptedException {
    long giveUp = 0;
    for (int failures = 1; ; failures++) {
      try {
        return call.call();
      } catch (IOException away) {
        long now = System.nanoTime();
        if (failures == 1) {
          giveUp = now + retryPolicy.horizon().toNanos();
        }
        Duration pause = retryPolicy.pause(failures);
        if (now + pause.toNanos() - giveUp >= 0) {
          throw away;
        }
        log.warn("The blob store fails, and is asked again in {}: {}", pause, away.toString());
        boolean _ = new CountDownLatch(1).await(pause.toNanos(), TimeUnit.NANOSECONDS);
      }
    }
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
    stored(key, file, put(key, file));
  }

  /**
   * Stores a file, in the place of an older one of this key; the file stays.
   *
   * @return its size in bytes
   */
  long put(BlobKey key, Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return blobs.put(key, in).size();
    }
  }

  /** Counts a file that was {@link #put}, and deletes it. */
  void stored(BlobKey key, Path file, long size) throws IOException {
    bytes += size;
    EgressSegment.of(key.text()).ifPresent(segments::add);
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
  Optional<JsonNode> document(String name) throws IOException, InterruptedException {
    Optional<byte[]> bytes = patiently(() -> blobs.read(key(name), 0, SMALL_MAX));
    return bytes.map(Json.mapper()::readTree);
  }

  /** The documents of this name in all parts of earlier attempts. */
  List<JsonNode> documentsBefore(String name) throws IOException, InterruptedException {
    List<JsonNode> found = new ArrayList<>();
    for (BlobInfo info : before) {
      if (info.key().endsWith("/" + name)) {
        Optional<byte[]> bytes =
            repeated(opening(retryPolicy), () -> blobs.read(new BlobKey(info.key()), 0, SMALL_MAX));
        if (bytes.isPresent()) {
          found.add(Json.mapper().readTree(bytes.get()));
        }
      }
    }
    return found;
  }

  /** Copies a segment to a file. */
  void fetch(EgressSegment segment, Path file) throws IOException, InterruptedException {
    boolean there = patiently(() -> copied(segment.key(), file));
    if (!there) {
      throw new IOException(segment.key() + " is not there any more");
    }
  }

  private boolean copied(BlobKey key, Path file) throws IOException {
    Optional<InputStream> opened = blobs.open(key);
    if (opened.isEmpty()) {
      return false;
    }
    try (InputStream in = opened.get()) {
      long _ = Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      return true;
    }
  }

  BlobKey key(String name) {
    return new BlobKey(EgressSegment.folder(task) + name);
  }
}

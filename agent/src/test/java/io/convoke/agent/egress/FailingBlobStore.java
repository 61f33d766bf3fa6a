package io.convoke.agent.egress;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.engine.testhook.TestSignal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/** A folder of blobs whose calls fail as a test says. */
final class FailingBlobStore implements BlobStore {
  /** Of a call: {@code put}, {@code open} or {@code list}, and the key or prefix. */
  volatile Predicate<String> fails = call -> false;

  /** The keys that were put. */
  final TestSignal<String> stored = new TestSignal<>();

  private final BlobStore blobs;

  FailingBlobStore(Path folder) throws IOException {
    this.blobs = new FolderBlobStore(folder);
  }

  @Override
  public StoredBlob put(BlobKey key, InputStream content) throws IOException {
    check("put " + key);
    StoredBlob storedBlob = blobs.put(key, content);
    stored.emit(key.text());
    return storedBlob;
  }

  @Override
  public Optional<InputStream> open(BlobKey key, long from) throws IOException {
    check("open " + key);
    return blobs.open(key, from);
  }

  @Override
  public BlobPage list(String prefix, Optional<String> after, int limit) throws IOException {
    check("list " + prefix);
    return blobs.list(prefix, after, limit);
  }

  @Override
  public PartialBlob partial(BlobKey key, String tag) throws IOException {
    return blobs.partial(key, tag);
  }

  @Override
  public void putNew(BlobKey key, byte[] content, String contentType) throws IOException {
    blobs.putNew(key, content, contentType);
  }

  @Override
  public Optional<BlobInfo> stat(BlobKey key) throws IOException {
    return blobs.stat(key);
  }

  @Override
  public boolean delete(BlobKey key) throws IOException {
    return blobs.delete(key);
  }

  @Override
  public int deletePartials(Instant before) throws IOException {
    return blobs.deletePartials(before);
  }

  @Override
  public void close() {
    blobs.close();
  }

  private void check(String call) throws IOException {
    if (fails.test(call)) {
      throw new IOException("503 for " + call);
    }
  }
}

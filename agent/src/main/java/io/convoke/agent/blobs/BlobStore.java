package io.convoke.agent.blobs;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A store of blobs. Every method may block on a disk or a network; an {@link IOException} means
 * that the store is unreachable or refuses, and that the call may be retried.
 */
public interface BlobStore extends AutoCloseable {
  /** Most blobs of one page. */
  int PAGE_MAX = 1000;

  /**
   * Begins a partial blob, or resumes the one with this tag. One writer at a time may work on a
   * tag.
   *
   * @param tag identifies one attempt to write this blob: a letter, digits, dashes
   */
  PartialBlob partial(BlobKey key, String tag) throws IOException;

  /** Stores a stream as a whole; atomically replaces the blob of that key. */
  default StoredBlob put(BlobKey key, InputStream content) throws IOException {
    PartialBlob partial = partial(key, "put-" + java.util.UUID.randomUUID());
    boolean done = false;
    try {
      long _ = partial.append(content, Long.MAX_VALUE);
      StoredBlob storedBlob = partial.complete();
      done = true;
      return storedBlob;
    } finally {
      if (!done) {
        partial.discard();
      }
    }
  }

  /**
   * Stores bytes as a whole under a key that has no blob yet; never replaces one. An S3 store that
   * does not know {@code If-None-Match} would replace it. One that does takes a blob of the same
   * bytes for what an earlier try of this call stored.
   *
   * @param contentType is stored by S3 only
   * @throws java.nio.file.FileAlreadyExistsException if the key has a blob
   */
  void putNew(BlobKey key, byte[] content, String contentType) throws IOException;

  /** A blob's metadata. */
  Optional<BlobInfo> stat(BlobKey key) throws IOException;

  /** Opens a blob at an offset; empty when there is none. The caller closes the stream. */
  Optional<InputStream> open(BlobKey key, long from) throws IOException;

  /** Opens a blob at its beginning. */
  default Optional<InputStream> open(BlobKey key) throws IOException {
    return open(key, 0);
  }

  /** Reads at most {@code length} bytes from an offset. */
  default Optional<byte[]> read(BlobKey key, long from, int length) throws IOException {
    Optional<InputStream> opened = open(key, from);
    if (opened.isEmpty()) {
      return Optional.empty();
    }
    try (InputStream stream = opened.get()) {
      return Optional.of(stream.readNBytes(length));
    }
  }

  /** Deletes a blob; false when there was none. */
  boolean delete(BlobKey key) throws IOException;

  /**
   * Blobs whose key begins with a prefix, in the order of their keys.
   *
   * @param after the last key of the page before
   * @param limit 1 to {@value #PAGE_MAX}
   */
  BlobPage list(String prefix, Optional<String> after, int limit) throws IOException;

  /**
   * Deletes partials without an append since then, and what crashes before then left of a {@link
   * PartialBlob#complete}; returns how many.
   */
  int deletePartials(Instant before) throws IOException;

  @Override
  void close();

  /** A blob as a listing shows it; size in bytes. */
  record BlobInfo(String key, long size, Instant storedAt) {}

  /** A stored blob: its size in bytes and its SHA-256 in hex. */
  record StoredBlob(long size, String sha256) {}

  /** Blobs, and the {@code after} of the next page if there is one. */
  record BlobPage(List<BlobInfo> blobs, Optional<String> next) {}
}

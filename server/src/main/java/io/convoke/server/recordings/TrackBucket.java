package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.server.recordings.DownloadRequest.DownloadResult;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/** Where the platform puts the tracks of recordings: a bucket of the account's owner. */
public sealed interface TrackBucket extends AutoCloseable {
  @Override
  void close();

  /**
   * Appends the missing bytes of a file.
   *
   * @param onProgress called with the size now and then
   */
  DownloadResult rest(
      String key,
      PartialBlob partial,
      long most,
      DownloadRequest downloadRequest,
      LongConsumer onProgress)
      throws IOException, InterruptedException;

  /** A bucket that answers requests for its files without credentials. */
  record HttpBucket(URI base) implements TrackBucket {
    @Override
    public DownloadResult rest(
        String key,
        PartialBlob partial,
        long most,
        DownloadRequest downloadRequest,
        LongConsumer onProgress)
        throws IOException, InterruptedException {
      URI url = URI.create(base.toString().replaceAll("/+$", "") + "/" + key);
      return downloadRequest.rest(url, partial, most, onProgress);
    }

    @Override
    public void close() {}
  }

  /** A bucket that is read as a blob store. */
  record StoreBucket(BlobStore store) implements TrackBucket {
    /** Bytes between two progress reports. */
    private static final long STRETCH = 1 << 20;

    private static final int NOT_FOUND = 404;

    @Override
    public DownloadResult rest(
        String key,
        PartialBlob partial,
        long most,
        DownloadRequest downloadRequest,
        LongConsumer onProgress)
        throws IOException {
      Optional<InputStream> opened = store.open(new BlobKey(key), partial.size());
      if (opened.isEmpty()) {
        return new DownloadResult.DownloadLinkExpired(NOT_FOUND);
      }
      try (InputStream stream = opened.get()) {
        while (partial.append(stream, STRETCH) > 0) {
          onProgress.accept(partial.size());
          if (partial.size() > most) {
            throw new IOException("the file is larger than " + most + " bytes");
          }
        }
      }
      return new DownloadResult.DownloadComplete(OptionalLong.of(partial.size()));
    }

    @Override
    public void close() {
      store.close();
    }
  }
}

package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.server.platform.janus.JanusRecordingFolder;
import io.convoke.server.recordings.DownloadRequest.DownloadResult;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/** Where the platform puts the tracks of recordings: a bucket or folder of its owner. */
public sealed interface TrackBucket extends AutoCloseable {
  /** What a bucket answers for a file that it does not have. */
  int NOT_FOUND = 404;

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

  private static DownloadResult copyRest(
      Optional<InputStream> opened,
      long stored,
      PartialBlob partial,
      long most,
      LongConsumer onProgress)
      throws IOException {
    if (opened.isEmpty()) {
      return new DownloadResult.DownloadLinkExpired(NOT_FOUND);
    }
    try (InputStream stream = opened.get()) {
      stream.skipNBytes(stored);
      ProgressStream.append(stream, partial, most, onProgress);
    }
    return new DownloadResult.DownloadComplete(OptionalLong.of(partial.size()));
  }

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

  /** The folder of a Janus, whose recordings become Ogg while they are read. */
  record JanusBucket(JanusRecordingFolder folder) implements TrackBucket {
    @Override
    public DownloadResult rest(
        String key,
        PartialBlob partial,
        long most,
        DownloadRequest downloadRequest,
        LongConsumer onProgress)
        throws IOException {
      return copyRest(folder.ogg(key), partial.size(), partial, most, onProgress);
    }

    @Override
    public void close() {}
  }

  /** A bucket that is read as a blob store. */
  record StoreBucket(BlobStore store) implements TrackBucket {
    @Override
    public DownloadResult rest(
        String key,
        PartialBlob partial,
        long most,
        DownloadRequest downloadRequest,
        LongConsumer onProgress)
        throws IOException {
      return copyRest(store.open(new BlobKey(key), partial.size()), 0, partial, most, onProgress);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}

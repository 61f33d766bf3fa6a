package io.convoke.server.recordings;

import io.convoke.agent.blobs.PartialBlob;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/** The rest of a file, which tells now and then how much of the file was read. */
final class ProgressStream extends InputStream {
  /** Bytes between two reports. */
  private static final int STRETCH = 1 << 20;

  private final InputStream content;
  private final LongConsumer onProgress;
  private long size;
  private int untold;

  private ProgressStream(InputStream content, long stored, LongConsumer onProgress) {
    this.content = content;
    this.size = stored;
    this.onProgress = onProgress;
  }

  /**
   * Appends the rest of a file by one call, since a store in S3 writes up to eight megabytes anew
   * at the end of each.
   *
   * @param most bytes that the file may have
   * @param onProgress called with the size now and then
   */
  static void append(InputStream content, PartialBlob partial, long most, LongConsumer onProgress)
      throws IOException {
    InputStream told = new ProgressStream(content, partial.size(), onProgress);
    long _ = partial.append(told, most + 1 - partial.size());
    if (partial.size() > most) {
      throw new IOException("the file is larger than " + most + " bytes");
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) == 1 ? one[0] & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int read = content.read(into, offset, Math.min(length, STRETCH - untold));
    if (read > 0) {
      size += read;
      untold += read;
    }
    if (untold == STRETCH || (read < 0 && untold > 0)) {
      untold = 0;
      onProgress.accept(size);
    }
    return read;
  }
}

package io.convoke.server.blobs;

import java.io.IOException;
import java.io.InputStream;

/**
 * A blob that is being written. Bytes kept by {@link #append} survive a crash of this process,
 * except for the last few; {@link #size} is always exact.
 */
public interface PartialBlob {

  /** Bytes that are kept so far: where to go on. */
  long size();

  /**
   * Appends up to {@code most} bytes of a stream; returns how many. When the stream fails, the
   * bytes before are kept and its exception is rethrown. After a failure of the store itself, open
   * the partial again.
   */
  long append(InputStream content, long most) throws IOException;

  /** Makes it the blob, in one step. */
  BlobStore.StoredBlob complete() throws IOException;

  /** Throws it away; it is empty then and may be appended to again. */
  void discard() throws IOException;
}

package io.convoke.agent.blobs;

import java.io.IOException;
import java.io.InputStream;

/**
 * A blob that is being written. Appended bytes survive a crash of this process, except for the last
 * few; {@link #size} is always exact.
 */
public interface PartialBlob {

  /** Bytes stored so far: the offset of the next append. */
  long size();

  /**
   * Appends up to {@code most} bytes of a stream; returns how many. When the stream fails, the
   * bytes before are stored and its exception is rethrown. After a failure of the store itself,
   * open the partial again.
   */
  long append(InputStream content, long most) throws IOException;

  /** Publishes it as the blob, atomically. */
  BlobStore.StoredBlob complete() throws IOException;

  /** Deletes its bytes; it is empty then and may be appended to again. */
  void discard() throws IOException;
}

package io.convoke.agent.blobs;

import java.io.IOException;
import java.io.InputStream;

/**
 * A blob that is being written. Appended bytes survive a crash of this process, except for the last
 * few; {@link #size} is exact.
 */
public interface PartialBlob {

  /** Bytes stored so far: the offset of the next append. */
  long size();

  /**
   * Appends up to {@code most} bytes of a stream; returns how many. When the stream fails with an
   * {@link IOException}, the bytes before are stored and it is rethrown. Another exception of the
   * stream means that the caller gives up: another writer may be ahead, so nothing more is stored.
   * After that, and after a failure of the store itself, open the partial again.
   */
  long append(InputStream content, long most) throws IOException;

  /** Publishes it as the blob, atomically. */
  BlobStore.StoredBlob complete() throws IOException;

  /** Deletes its bytes; it is empty then and may be appended to again. */
  void discard() throws IOException;
}

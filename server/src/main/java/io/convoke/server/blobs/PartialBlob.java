package io.convoke.server.blobs;

import java.io.IOException;
import java.io.InputStream;

/**
 * A blob that is still coming in. What an {@link #append} has kept survives a crash of this
 * process, up to some bytes of its end; {@link #size} always tells the truth.
 */
public interface PartialBlob {

  /** Bytes that are kept so far: where to go on. */
  long size();

  /**
   * Adds what a stream holds, at most {@code most} bytes; answers how many. When the stream breaks,
   * what came before is kept and the stream's exception is thrown on. After a failure of the store
   * itself the partial is to be opened anew.
   */
  long append(InputStream content, long most) throws IOException;

  /** Makes it the blob, in one step. */
  BlobStore.Stored complete() throws IOException;

  /** Throws it away; it is empty then and may be appended to again. */
  void discard() throws IOException;
}

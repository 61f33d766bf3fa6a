package io.convoke.agent.blobs;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract, over a local folder. */
class FolderBlobStoreTest extends BlobStoreContract {
  @TempDir private Path folder;

  @Override
  protected BlobStore open() throws IOException {
    return new FolderBlobStore(folder);
  }
}

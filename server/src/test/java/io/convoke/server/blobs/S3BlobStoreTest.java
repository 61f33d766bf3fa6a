package io.convoke.server.blobs;

import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract, over a real server that speaks S3. */
class S3BlobStoreTest extends BlobStoreContract {
  private static S3Server server;

  /** A prefix of its own for each test. */
  private final String prefix = "convoke/" + UUID.randomUUID();

  @BeforeAll
  static void start() throws Exception {
    server = S3Server.start("recordings");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected BlobStore open() {
    return new S3BlobStore(
        new S3Config(
            "recordings",
            prefix,
            Optional.of(server.url()),
            Optional.of("eu-central-1"),
            Optional.of(new S3Config.S3Credentials("key", "secret"))),
        CHUNK);
  }
}

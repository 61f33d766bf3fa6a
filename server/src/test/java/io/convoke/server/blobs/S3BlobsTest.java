package io.convoke.server.blobs;

import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract, over a real server that speaks S3. */
class S3BlobsTest extends BlobStoreContract {
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
    return new S3Blobs(
        new S3Terms(
            "recordings",
            prefix,
            Optional.of(server.url()),
            Optional.of("eu-central-1"),
            Optional.of(new S3Terms.Keys("key", "secret"))),
        CHUNK);
  }
}

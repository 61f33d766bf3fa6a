package io.convoke.agent.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/** The contract, over a real server that speaks S3. */
@Tag("nightly")
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
    return new S3BlobStore(config(server.url()), CHUNK);
  }

  @Test
  void aNewObjectHasItsContentType() throws Exception {
    store.putNew(new BlobKey("snapshots/one.png"), new byte[] {1}, "image/png");
    HttpRequest get =
        HttpRequest.newBuilder(server.url().resolve("/recordings/" + prefix + "/snapshots/one.png"))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      assertThat(
              http.send(get, HttpResponse.BodyHandlers.discarding())
                  .headers()
                  .firstValue("Content-Type"))
          .contains("image/png");
    }
  }

  /** As it is after a crash between the beginning and the end of a join. */
  @Test
  void anUploadThatACrashInterruptedIsAbortedAndOthersStay() throws Exception {
    try (S3BlobStore ours = new S3BlobStore(config(server.url()), CHUNK)) {
      String _ = begun(ours, "recordings/a-recording/audio");
      String _ = begun(ours, "egress/a-task/000-000/segment.ogg");
      String others = begun(ours, "backups/all");
      assertThat(ours.deletePartials(Instant.now().minus(Duration.ofHours(1)))).isZero();
      assertThat(uploads(ours)).hasSize(3);
      assertThat(ours.deletePartials(Instant.now().plus(Duration.ofHours(1)))).isEqualTo(2);
      assertThat(uploads(ours)).containsExactly(others);
    }
  }

  private String begun(S3BlobStore store, String key) {
    return store
        .client()
        .createMultipartUpload(request -> request.bucket("recordings").key(prefix + "/" + key))
        .uploadId();
  }

  private List<String> uploads(S3BlobStore store) {
    return store
        .client()
        .listMultipartUploads(request -> request.bucket("recordings").prefix(prefix))
        .uploads()
        .stream()
        .map(MultipartUpload::uploadId)
        .toList();
  }

  @Test
  void anUnreachableStoreIsAnIoException() {
    try (BlobStore lost = new S3BlobStore(config(URI.create("http://127.0.0.1:9")))) {
      assertThatThrownBy(() -> lost.putNew(new BlobKey("a"), new byte[1], "image/png"))
          .isInstanceOf(IOException.class);
    }
  }

  private BlobStoreConfig config(URI url) {
    return new BlobStoreConfig(
        "s3://recordings/" + prefix,
        Optional.of(url),
        Optional.of("eu-central-1"),
        Optional.of(new BlobStoreConfig.S3Credentials("key", "secret")));
  }
}

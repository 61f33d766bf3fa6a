package io.convoke.agent.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a store is asked for a blob; each request costs time and money. */
@Timeout(60)
class S3PutTest {
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final AnsweredS3 s3 = new AnsweredS3("s3://sounds/convoke", this::answer);
  private final BlobStore store = s3.store();

  @AfterEach
  void close() {
    s3.close();
  }

  @Test
  void aSmallBlobIsStoredInOneRequest() throws Exception {
    BlobKey key = new BlobKey("egress/t-1/001-001/voice-0-00001-1772442000000-4000.ogg");
    assertThat(store.put(key, new ByteArrayInputStream(new byte[] {1, 2, 3})))
        .isEqualTo(
            new StoredBlob(3, "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"));
    assertThat(requests)
        .containsExactly("PUT /sounds/convoke/" + key + " Uonfc331cyb83SJZevsfrA==");
  }

  @Test
  void theBytesBeforeAStreamBreaksAreStored() throws Exception {
    PartialBlob partial = store.partial(new BlobKey("recordings/r/audio"), "run-1");
    InputStream broken = InputStream.nullInputStream();
    broken.close();
    assertThatThrownBy(() -> partial.append(threeBytesAnd(broken), Long.MAX_VALUE))
        .isInstanceOf(IOException.class)
        .hasMessage("Stream closed");
    assertThat(requests)
        .last()
        .isEqualTo(
            "PUT /sounds/convoke/.partial/run-1/recordings/r/audio/0000000000000000"
                + " Uonfc331cyb83SJZevsfrA==");
  }

  /** Another writer may have stored more of the chunk, which a shorter one would replace. */
  @Test
  void nothingIsStoredAfterTheCallerGaveUp() throws Exception {
    PartialBlob partial = store.partial(new BlobKey("recordings/r/audio"), "run-1");
    InputStream givenUp =
        new InputStream() {
          @Override
          public int read() {
            throw new IllegalStateException("the claim is lost");
          }

          @Override
          public int read(byte[] into, int offset, int length) {
            throw new IllegalStateException("the claim is lost");
          }
        };
    assertThatThrownBy(() -> partial.append(threeBytesAnd(givenUp), Long.MAX_VALUE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the claim is lost");
    assertThat(requests).noneMatch(request -> request.startsWith("PUT "));
  }

  private static InputStream threeBytesAnd(InputStream rest) {
    return new SequenceInputStream(new ByteArrayInputStream(new byte[] {1, 2, 3}), rest);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] _ = exchange.getRequestBody().readAllBytes();
      requests.add(
          "%s %s %s"
              .formatted(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI().getPath(),
                  exchange.getRequestHeaders().getFirst("Content-MD5")));
      if (exchange.getRequestMethod().equals("GET")) {
        byte[] nothing = "<ListBucketResult/>".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, nothing.length);
        exchange.getResponseBody().write(nothing);
      } else {
        exchange.sendResponseHeaders(200, -1);
      }
    }
  }
}

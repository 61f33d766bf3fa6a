package io.convoke.agent.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that takes an object and does not answer, so that the client sends it once more. */
@Timeout(60)
class S3LostAnswerTest {
  private static final BlobKey KEY = new BlobKey("snapshots/one.png");

  private final AtomicInteger puts = new AtomicInteger();
  private volatile byte[] stored = {};
  private final AnsweredS3 s3 = new AnsweredS3("s3://pictures", this::answer);
  private final BlobStore store = s3.store();

  @AfterEach
  void close() {
    s3.close();
  }

  @Test
  void whatIsThereAlreadyWithTheSameBytesIsStored() throws Exception {
    stored = new byte[] {1, 2, 3};
    store.putNew(KEY, new byte[] {1, 2, 3}, "image/png");
    assertThat(puts.get()).isGreaterThan(1);
  }

  @Test
  void whatIsThereWithOtherBytesIsNot() {
    stored = new byte[] {1, 2, 3, 4};
    assertThatThrownBy(() -> store.putNew(KEY, new byte[] {1, 2, 3}, "image/png"))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] _ = exchange.getRequestBody().readAllBytes();
      switch (exchange.getRequestMethod()) {
        case "PUT" -> {
          if (puts.incrementAndGet() > 1) {
            exchange.sendResponseHeaders(412, -1);
          }
        }
        case "HEAD" -> {
          exchange.getResponseHeaders().set("Content-Length", Integer.toString(stored.length));
          exchange.sendResponseHeaders(200, -1);
        }
        default -> {
          exchange.sendResponseHeaders(200, stored.length);
          exchange.getResponseBody().write(stored);
        }
      }
    }
  }
}

package io.convoke.agent.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that takes an object and does not answer, so that the client sends it once more. */
@Timeout(60)
class S3LostAnswerTest {
  private static final BlobKey KEY = new BlobKey("snapshots/one.png");

  private final AtomicInteger puts = new AtomicInteger();
  private volatile byte[] stored = {};
  private HttpServer server;
  private BlobStore store;

  @BeforeEach
  void open() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var _ = server.createContext("/", this::answer);
    server.start();
    store =
        new S3BlobStore(
            new BlobStoreConfig(
                "s3://pictures",
                Optional.of(URI.create("http://127.0.0.1:" + server.getAddress().getPort())),
                Optional.of("eu-central-1"),
                Optional.of(new BlobStoreConfig.S3Credentials("key", "secret"))));
  }

  @AfterEach
  void close() {
    store.close();
    server.stop(0);
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

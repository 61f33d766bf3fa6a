package io.convoke.agent.room;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.agent.http.HttpClientFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams of a platform that keeps connections open and sends nothing more. */
@Timeout(60)
class RoomFeedTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SILENCE_MAX = Duration.ofMillis(300);

  private final HttpClient http = HttpClientFactory.create(Duration.ofSeconds(3));
  private final CountDownLatch over = new CountDownLatch(1);

  /** The ids after which streams were opened. */
  private final List<String> opened = new CopyOnWriteArrayList<>();

  private volatile boolean silentFromTheBeginning;
  private HttpServer server;

  @BeforeEach
  void open() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Thread::startVirtualThread);
    var _ = server.createContext("/events", this::answer);
    server.start();
  }

  @AfterEach
  void close() {
    over.countDown();
    server.stop(0);
    http.shutdownNow();
  }

  @Test
  void aStreamThatFallsSilentIsOpenedAgainFromWhereItWas() throws Exception {
    try (RoomFeed feed = feed()) {
      String first = next(feed);
      assertThat(next(feed)).isNotIn(first, "nothing");
      assertThat(opened).contains(first);
    }
  }

  @Test
  void aPlatformThatDoesNotBeginToAnswerIsAskedAgain() throws Exception {
    silentFromTheBeginning = true;
    try (RoomFeed feed = feed()) {
      assertThat(next(feed)).isNotEqualTo("nothing");
    }
  }

  private RoomFeed feed() {
    URI events = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/events");
    return new RoomFeed(http, events, LONG, SILENCE_MAX);
  }

  private static String next(RoomFeed feed) throws InterruptedException {
    return feed.next(LONG).map(event -> event.text("text")).orElse("nothing");
  }

  /** One event with the number of the stream, and then nothing. */
  private void answer(HttpExchange exchange) throws IOException {
    opened.add(
        Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Last-Event-ID"), "none"));
    int number = opened.size();
    try (exchange) {
      if (number > 1 || !silentFromTheBeginning) {
        exchange.sendResponseHeaders(200, 0);
        exchange
            .getResponseBody()
            .write(
                "id: %1$d\nevent: caption\ndata: {\"text\": \"%1$d\"}\n\n"
                    .formatted(number)
                    .getBytes(UTF_8));
        exchange.getResponseBody().flush();
      }
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.convoke.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers of a server that sends a part of them. */
@Timeout(60)
class WholeAnswerTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  private static final Duration LONG = Duration.ofSeconds(20);

  private final HttpClient client = HttpClientFactory.create(Duration.ofSeconds(5));

  @Test
  void anAnswerThatStallsAfterItsHeadersIsGivenUp() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answering = Thread.ofVirtual().start(() -> answerHalf(server, over));
      HttpRequest request = request(server.getLocalPort()).timeout(SHORT).build();
      assertThatThrownBy(() -> WholeAnswer.of(client, request, BodyHandlers.ofString(), SHORT))
          .isInstanceOf(HttpTimeoutException.class);
      over.countDown();
      answering.join();
    }
  }

  @Test
  void aServerThatDoesNotBeginToAnswerIsGivenUpAndItsConnectionClosed() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread listening = Thread.ofVirtual().start(() -> listenToTheEnd(server));
      HttpRequest request = request(server.getLocalPort()).build();
      assertThatThrownBy(() -> WholeAnswer.begun(client, request, SHORT))
          .isInstanceOf(HttpTimeoutException.class);
      listening.join();
    }
  }

  @Test
  void anAnswerThatBeginsIsReadByItsCaller() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answering = Thread.ofVirtual().start(() -> answerHalf(server, over));
      HttpRequest request = request(server.getLocalPort()).build();
      try (InputStream body = WholeAnswer.begun(client, request, LONG).body()) {
        assertThat(new String(body.readNBytes(4), StandardCharsets.US_ASCII)).isEqualTo("half");
      }
      over.countDown();
      answering.join();
    }
  }

  @Test
  void aServerThatIsNotThereIsTold() throws Exception {
    int port;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = server.getLocalPort();
    }
    HttpRequest request = request(port).build();
    assertThatThrownBy(() -> WholeAnswer.of(client, request, BodyHandlers.ofString(), LONG))
        .isInstanceOf(ConnectException.class);
    assertThatThrownBy(() -> WholeAnswer.begun(client, request, LONG))
        .isInstanceOf(ConnectException.class);
  }

  private static HttpRequest.Builder request(int port) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"));
  }

  private static void listenToTheEnd(ServerSocket server) {
    try (Socket socket = server.accept()) {
      byte[] _ = socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answerHalf(ServerSocket server, CountDownLatch over) {
    try (Socket socket = server.accept()) {
      socket
          .getOutputStream()
          .write(
              "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"
                  .getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      over.await();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

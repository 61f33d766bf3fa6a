package io.convoke.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.NoKeys;
import io.convoke.server.http.Response;
import io.convoke.server.http.TestServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that ask and do not read: their connections end, those of slow readers do not. */
class StalledReadersTest {
  private static final int LARGE = 600_000;
  private static final Duration SOON = Duration.ofSeconds(20);

  private static TestServer server(Duration atMost, Duration after, int perAddress) {
    HttpConfig terms =
        HttpConfig.at("127.0.0.1", 0)
            .with(new HttpConfig.SlowClientConfig(atMost, after, perAddress));
    return TestServer.of(
        List.of(
            large("/bytes", () -> Response.bytes("text/plain", new byte[LARGE])),
            large(
                "/stream",
                () ->
                    Response.stream(
                        200, "text/plain", LARGE, new ByteArrayInputStream(new byte[LARGE])))),
        terms,
        new NoKeys(),
        List.of());
  }

  private static Endpoint large(String path, Supplier<Response> answer) {
    return Endpoint.get(path)
        .id(path.substring(1))
        .tag("test")
        .summary("Answers at length.")
        .roles(CallerRole.PUBLIC)
        .answers(200, "text/plain")
        .handle(_ -> answer.get());
  }

  private static Socket ask(TestServer server, String path, int times) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(8 * 1024);
    socket.setSoTimeout(20_000);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server().port()));
    String request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    socket.getOutputStream().write(request.repeat(times).getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static void expectClosed(Socket socket) {
    assertTimeoutPreemptively(SOON, () -> writeUntilClosed(socket));
  }

  /** Writes until the connection is reset, which is when the server has closed it. */
  private static void writeUntilClosed(Socket socket) {
    try {
      OutputStream out = socket.getOutputStream();
      while (true) {
        out.write(new byte[1024]);
      }
    } catch (IOException _) {
      // As it should be.
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/bytes", "/openapi.yaml", "/stream"})
  void a_client_that_takes_no_byte_is_closed_although_it_sends_requests(String path)
      throws Exception {
    try (TestServer server = server(Duration.ofMillis(300), Duration.ofSeconds(5), 100);
        Socket first = ask(server, path, 200);
        Socket second = ask(server, path, 200)) {
      expectClosed(first);
      expectClosed(second);
      server.anonymous().get("/livez").expect(200);
      assertThat(server.anonymous().get("/metrics").expect(200).body())
          .contains("convoke_http_stalled_closed_total{reason=\"deadline\"} 2.0");
    }
  }

  @Test
  void a_slow_client_gets_the_whole_response() throws Exception {
    try (TestServer server = server(Duration.ofMillis(800), Duration.ofMillis(400), 1);
        Socket socket = ask(server, "/bytes", 1)) {
      InputStream in = socket.getInputStream();
      int total = 0;
      while (total < LARGE) {
        int read = in.read(new byte[16 * 1024]);
        assertThat(read).isPositive();
        total += read;
        LockSupport.parkNanos(Duration.ofMillis(40).toNanos());
      }
    }
  }

  @Tag("nightly")
  @Test
  void stalled_connections_of_one_address_beyond_the_limit_are_closed_at_once() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    LinkedBlockingQueue<Socket> closed = new LinkedBlockingQueue<>();
    try (TestServer server = server(Duration.ofMinutes(5), Duration.ofMillis(300), 3)) {
      for (int i = 0; i < 6; i++) {
        Socket socket = ask(server, "/bytes", 40);
        sockets.add(socket);
        Thread _ =
            Thread.startVirtualThread(
                () -> {
                  writeUntilClosed(socket);
                  closed.add(socket);
                });
      }
      for (int i = 0; i < 3; i++) {
        assertThat(closed.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isNotNull();
      }
      assertThat(server.anonymous().get("/metrics").expect(200).body())
          .contains("convoke_http_stalled_closed_total{reason=\"address\"} 3.0");
      assertThat(closed).isEmpty();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }
}

package io.convoke.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.EventReader;
import io.convoke.server.http.EventStream;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.NoKeys;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TestServer;
import io.convoke.server.http.auth.BearerScheme;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that do not send or do not read are disconnected in time and delay no other. */
class SlowClientsTest {
  private static final HttpConfig IMPATIENT =
      HttpConfig.at("127.0.0.1", 0)
          .with(Duration.ofMillis(200), Duration.ofMillis(200))
          .with(
              new HttpConfig.SlowClientConfig(Duration.ofMillis(200), Duration.ofMillis(200), 100));

  private static final String POST =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

  private final CompletableFuture<String> ended = new CompletableFuture<>();
  private final TestServer server =
      TestServer.of(List.of(flood(), echo(), file()), IMPATIENT, new NoKeys(), List.of());

  @AfterEach
  void stop() {
    server.close();
  }

  private Endpoint flood() {
    return Endpoint.get("/flood")
        .id("flood")
        .tag("test")
        .summary("Sends without end.")
        .roles(CallerRole.PUBLIC)
        .answers(200, "text/event-stream")
        .handle(
            _ ->
                Response.events(
                    out -> {
                      try {
                        while (out.open()) {
                          out.send("1", "noise", Map.of("text", "x".repeat(10_000)));
                        }
                        ended.complete("closed by the server");
                      } catch (EventStream.StreamClosedException e) {
                        ended.complete("cut");
                        throw e;
                      }
                    }));
  }

  private static Endpoint echo() {
    return Endpoint.post("/echo")
        .id("echo")
        .tag("test")
        .summary("Reads a body.")
        .roles(CallerRole.PUBLIC)
        .body(Schema.anyObject())
        .answers(204)
        .handle(_ -> Response.noContent());
  }

  private static Endpoint file() {
    return Endpoint.post("/file")
        .id("file")
        .tag("test")
        .summary("Reads a body while it arrives.")
        .roles(CallerRole.PUBLIC)
        .streamedBody("application/octet-stream", 10)
        .answers(204)
        .handle(
            request -> {
              long _ = request.bodyStream().transferTo(OutputStream.nullOutputStream());
              return Response.noContent();
            });
  }

  private static Endpoint quiet() {
    return Endpoint.get("/quiet")
        .id("quiet")
        .tag("test")
        .summary("A stream that only beats.")
        .roles(CallerRole.USER)
        .scope(ApiScope.MEETINGS)
        .answers(200, "text/event-stream")
        .handle(
            _ ->
                Response.events(
                    out -> {
                      while (out.open()) {
                        out.heartbeat();
                        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                      }
                    }));
  }

  @Test
  void a_stream_ends_when_the_credentials_of_its_reader_do() throws Exception {
    AtomicBoolean revoked = new AtomicBoolean();
    BearerScheme scheme =
        token ->
            token.equals("ann") && !revoked.get()
                ? Optional.of(new Caller.UserCaller(1))
                : Optional.empty();
    try (TestServer own =
            TestServer.of(List.of(quiet()), IMPATIENT, new NoKeys(), List.of(scheme));
        EventReader reader = own.anonymous().with("Authorization", "Bearer ann").events("/quiet")) {
      assertThat(reader.comment(Duration.ofSeconds(10))).isEqualTo("open");
      revoked.set(true);
      assertThat(reader.ends(Duration.ofSeconds(10))).isTrue();
    }
  }

  private Socket connect(String request) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server().port());
    socket.setSoTimeout(10_000);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @Test
  void a_stream_client_that_does_not_read_is_disconnected() throws Exception {
    try (Socket _ = connect("GET /flood HTTP/1.1\r\nHost: x\r\n\r\n")) {
      assertThat(ended.get(20, TimeUnit.SECONDS)).isEqualTo("cut");
      server.anonymous().get("/livez").expect(200);
    }
  }

  @Test
  void a_body_that_trickles_is_408() throws Exception {
    try (Socket socket = connect(POST + "Content-Length: 10\r\n\r\n{")) {
      Thread trickle = Thread.ofVirtual().start(() -> trickle(socket));
      assertThat(readAll(socket.getInputStream()))
          .startsWith("HTTP/1.1 408 ")
          .contains("\"code\":\"timeout\"");
      trickle.join();
    }
  }

  private static void trickle(Socket socket) {
    try {
      for (int i = 0; i < 9; i++) {
        LockSupport.parkNanos(Duration.ofMillis(40).toNanos());
        socket.getOutputStream().write(' ');
        socket.getOutputStream().flush();
      }
    } catch (IOException _) {
      // The server had enough, as it should.
    }
  }

  @Test
  void a_body_that_stops_coming_closes_the_connection() throws Exception {
    try (Socket socket = connect(POST + "Content-Length: 10\r\n\r\n{")) {
      assertThat(readAll(socket.getInputStream())).doesNotContain("204");
    }
  }

  @Test
  void a_file_that_is_too_large_and_does_not_come_closes_the_connection() throws Exception {
    try (Socket socket = connect("POST /file HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n{")) {
      assertThat(readAll(socket.getInputStream())).doesNotContain("204");
    }
  }

  @Test
  void an_unread_body_that_does_not_end_closes_the_connection() throws Exception {
    try (Socket socket =
        connect("POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")) {
      assertThat(readAll(socket.getInputStream())).startsWith("HTTP/1.1 405 ");
    }
  }

  @Test
  void headers_that_do_not_end_close_the_connection() throws Exception {
    try (Socket socket = connect("POST /echo HTTP/1.1\r\nHost: x\r\n")) {
      assertThat(readAll(socket.getInputStream())).doesNotContain("204");
    }
  }

  @Test
  void headers_beyond_their_bound_are_a_problem() throws Exception {
    try (Socket socket =
        connect("GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: " + "a".repeat(20_000) + "\r\n\r\n")) {
      assertThat(readAll(socket.getInputStream()))
          .startsWith("HTTP/1.1 4")
          .contains("application/problem+json");
    }
  }

  @Test
  void what_is_not_http_is_a_problem() throws Exception {
    try (Socket socket = connect("GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")) {
      assertThat(readAll(socket.getInputStream()))
          .startsWith("HTTP/1.1 4")
          .contains("trace_id", "\"errors\":[{\"field\":\"request\"");
    }
    try (Socket socket =
        connect("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")) {
      assertThat(readAll(socket.getInputStream())).startsWith("HTTP/1.1 4").contains("trace_id");
    }
  }

  @Test
  void a_request_that_its_client_breaks_off_is_closed_and_no_error_of_the_server()
      throws Exception {
    for (String request :
        List.of(
            POST + "Content-Length: 10\r\n\r\n{",
            POST + "Transfer-Encoding: chunked\r\n\r\n5\r\n{",
            POST + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
            "POST /file HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{",
            POST)) {
      try (Socket socket = connect(request)) {
        socket.shutdownOutput();
        assertThat(readAll(socket.getInputStream())).as(request).isEmpty();
      }
    }
  }

  @Test
  void a_body_with_an_encoding_is_415() throws Exception {
    for (String encoding : List.of("gzip", "identity")) {
      try (Socket socket =
          connect(POST + "Content-Encoding: " + encoding + "\r\nContent-Length: 2\r\n\r\n{}")) {
        assertThat(readAll(socket.getInputStream()))
            .startsWith("HTTP/1.1 415 ")
            .contains("\"code\":\"unsupported_media_type\"", "Content-Encoding");
      }
    }
  }

  @Test
  void an_older_version_of_http_has_a_code_of_its_own() throws Exception {
    try (Socket socket = connect("GET /livez HTTP/1.0\r\n\r\n")) {
      assertThat(readAll(socket.getInputStream()))
          .startsWith("HTTP/1.1 505 ")
          .contains("\"code\":\"http_version_not_supported\"");
    }
  }

  private static String readAll(InputStream in) throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }
}

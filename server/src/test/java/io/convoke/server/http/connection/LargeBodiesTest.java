package io.convoke.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TestServer;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Files of any length that an endpoint takes arrive, at a bounded cost of memory. */
class LargeBodiesTest {
  private static final int MIB = 1 << 20;

  private final TestServer server = TestServer.of(file());

  @AfterEach
  void stop() {
    server.close();
  }

  private static Endpoint file() {
    return Endpoint.post("/files")
        .id("takeFile")
        .tag("test")
        .summary("Takes a file.")
        .roles(CallerRole.PUBLIC)
        .streamedBody("application/octet-stream", 4L << 30)
        .answers(200, Schema.object().required("bytes", Schema.integer()))
        .handle(
            request -> {
              long bytes = request.bodyStream().transferTo(OutputStream.nullOutputStream());
              return Response.ok(Map.of("bytes", bytes));
            });
  }

  @Test
  void a_file_may_be_longer_than_a_chunk_with_and_without_a_length() {
    BodyPublisher chunked = BodyPublishers.ofByteArrays(Collections.nCopies(65, new byte[MIB]));
    assertThat(sent(chunked)).isEqualTo(65L * MIB);
    assertThat(sent(BodyPublishers.fromPublisher(chunked, 65L * MIB))).isEqualTo(65L * MIB);
  }

  private long sent(BodyPublisher body) {
    return server
        .anonymous()
        .call("POST", "/files", body, "application/octet-stream")
        .expect(200)
        .json()
        .path("bytes")
        .asLong();
  }

  @Test
  void a_chunk_beyond_its_bound_is_413() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server().port())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          "POST /files HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n"
              .getBytes(StandardCharsets.US_ASCII));
      for (int sent = 0; sent < BoundedReader.UNREAD_MAX; sent += MIB) {
        out.write(new byte[MIB]);
      }
      out.write(0);
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 413 ")
          .contains("\"code\":\"too_large\"");
    }
  }
}

package io.convoke.server.platform.janus;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.server.platform.janus.JanusSessions.SessionReply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What participants learn of the sessions of a Janus. */
class JanusSessionsTest {
  private HttpServer janus;
  private int status;

  @BeforeEach
  void start() throws IOException {
    janus = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
    janus.createContext(
        "/janus",
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    janus.start();
  }

  @AfterEach
  void stop() {
    janus.stop(0);
  }

  private SessionReply awaited(int its) {
    status = its;
    URI url = URI.create("http://127.0.0.1:" + janus.getAddress().getPort() + "/janus");
    return new JanusSessions(url, Optional.of("secret")).await("/1");
  }

  @Test
  void whoWaitsForEventsOfASessionThatIsOverIsToldSo() {
    assertThat(awaited(404))
        .isInstanceOfSatisfying(
            SessionReply.SessionAnswered.class,
            answered ->
                assertThat(new String(answered.json(), StandardCharsets.UTF_8))
                    .contains("\"janus\": \"error\"", "458"));
    assertThat(awaited(502)).isInstanceOf(SessionReply.SessionCallFailed.class);
  }
}

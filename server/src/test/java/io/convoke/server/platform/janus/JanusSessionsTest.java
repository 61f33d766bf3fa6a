package io.convoke.server.platform.janus;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.json.Json;
import io.convoke.server.platform.janus.JanusSessions.SessionReply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What participants learn of the sessions of a Janus. */
class JanusSessionsTest {
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private HttpServer janus;
  private volatile int status = 200;

  @BeforeEach
  void start() throws IOException {
    janus = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
    janus.createContext(
        "/janus",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          asked.add(exchange.getRequestURI() + " " + new String(body, StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    janus.start();
  }

  @AfterEach
  void stop() {
    janus.stop(0);
  }

  private JanusSessions sessions(Optional<String> apiSecret) {
    URI url = URI.create("http://127.0.0.1:" + janus.getAddress().getPort() + "/janus");
    return new JanusSessions(url, apiSecret);
  }

  private SessionReply awaited(int its) {
    status = its;
    return sessions(Optional.of("secret")).await("/1");
  }

  @Test
  void theApiSecretGoesWithEveryRequest() {
    JanusSessions sessions = sessions(Optional.of("a&b"));
    SessionReply _ = sessions.await("/1");
    SessionReply _ = sessions.send("/1/2", Json.mapper().createObjectNode());
    SessionReply _ = sessions(Optional.empty()).await("/1");
    assertThat(asked)
        .containsExactly(
            "/janus/1?maxev=10&apisecret=a%26b ",
            "/janus/1/2 {\"apisecret\":\"a&b\"}", "/janus/1?maxev=10 ");
  }

  @Test
  void anInterruptEndsAWaitAndIsKept() {
    JanusSessions sessions = sessions(Optional.empty());
    status = 502;
    Thread.currentThread().interrupt();
    SessionReply reply = sessions.await("/1");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(reply).isInstanceOf(SessionReply.SessionCallFailed.class);
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

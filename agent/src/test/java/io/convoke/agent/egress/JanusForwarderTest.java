package io.convoke.agent.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.convoke.agent.egress.JanusForwarder.ForwardingRefused;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the admin API of a Janus refuses. */
class JanusForwarderTest {
  private HttpServer janus;
  private int code;

  @BeforeEach
  void start() throws IOException {
    janus = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
    janus.createContext(
        "/admin",
        exchange -> {
          byte[] answer =
              """
              {"janus": "success", "response": {"error_code": %d, "error": "no"}}
              """
                  .formatted(code)
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    janus.start();
  }

  @AfterEach
  void stop() {
    janus.stop(0);
  }

  private ForwardingRefused refusal(int its) {
    code = its;
    EgressConfig config =
        EgressConfig.read(
            Map.of(
                "CONVOKE_JANUS_ADMIN_URL",
                "http://127.0.0.1:" + janus.getAddress().getPort() + "/admin",
                "CONVOKE_JANUS_ADMIN_SECRET",
                "secret",
                "CONVOKE_JANUS_ADMIN_KEY",
                "key"));
    try (JanusForwarder forwarder = new JanusForwarder(config, "stage", "secret")) {
      return catchThrowableOfType(
          ForwardingRefused.class, () -> forwarder.forward(new Publisher("guest-1", "Ada")));
    }
  }

  @Test
  void aRoomOrAPublisherThatIsGoneIsToldFromARefusal() {
    assertThat(refusal(426).roomIsGone()).isTrue();
    assertThat(refusal(426).publisherIsGone()).isFalse();
    assertThat(refusal(428).publisherIsGone()).isTrue();
    assertThat(refusal(428).roomIsGone()).isFalse();
    assertThat(refusal(433).publisherIsGone()).isFalse();
  }
}

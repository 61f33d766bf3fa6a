package io.convoke.agent.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.convoke.agent.egress.JanusForwarder.ForwardingRefused;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the admin API of a Janus refuses. */
class JanusForwarderTest {
  private HttpServer janus;
  private int code;
  private final List<String> asked = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() throws IOException {
    janus = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
    janus.createContext(
        "/admin",
        exchange -> {
          JsonNode request =
              Json.read(exchange.getRequestBody().readAllBytes(), JsonNode.class).path("request");
          asked.add(
              request.path("request").asString() + " " + request.path("stream_id").asString(""));
          byte[] answer =
              (code == 0
                      ? forwarding(request)
                      : "{\"janus\": \"success\", \"response\": {\"error_code\": %d}}"
                          .formatted(code))
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

  /** A publisher with sound, and a data channel beside it. */
  private static String forwarding(JsonNode request) {
    JsonNode streams = request.path("streams");
    return """
    {"janus": "success", "response": {"forwarders": [
      {"type": "audio", "port": %d, "stream_id": 7}, {"type": "data", "port": %d, "stream_id": 8}]}}
    """
        .formatted(streams.path(0).path("port").asInt(), streams.path(1).path("port").asInt());
  }

  private ForwardingRefused refusal(int its) {
    code = its;
    try (JanusForwarder forwarder = forwarder()) {
      return catchThrowableOfType(
          ForwardingRefused.class, () -> forwarder.forward(new Publisher("guest-1", "Ada")));
    }
  }

  private JanusForwarder forwarder() {
    EgressConfig config =
        EgressConfig.read(
            Map.of(
                "CONVOKE_JANUS_ADMIN_URL",
                "http://127.0.0.1:" + janus.getAddress().getPort() + "/admin",
                "CONVOKE_JANUS_ADMIN_SECRET",
                "secret",
                "CONVOKE_JANUS_ADMIN_KEY",
                "key"));
    return new JanusForwarder(config, "stage", "secret");
  }

  /** A data channel has no sound and no picture. */
  @Test
  void theChatOfAPublisherIsNotForwarded() throws Exception {
    try (JanusForwarder forwarder = forwarder()) {
      List<JanusForwarder.Forward> forwards = forwarder.forward(new Publisher("guest-1", "Ada"));
      assertThat(forwards).hasSize(1);
      assertThat(forwards.getFirst().video()).isFalse();
      assertThat(asked).containsExactly("rtp_forward ", "stop_rtp_forward 8");
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

package io.convoke.agent.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.convoke.agent.egress.EgressPart.NotedForward;
import io.convoke.agent.egress.JanusForwarder.ForwardingRefused;
import io.convoke.agent.egress.JanusForwarder.JanusAway;
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
  private static final Publisher ADA = new Publisher("guest-1", "Ada");
  private static final Publisher BEN = new Publisher("guest-2", "Ben");
  private static final String ADA_LISTED =
      """
      {"id": "guest-1", "display": "Ada", "publisher": true}
      """;
  private static final String BEN_LISTED =
      """
      {"id": "guest-2", "display": "Ben", "publisher": true}
      """;
  private static final String FORWARDERS =
      """
      {"janus": "success", "response": {"publishers": [
        {"publisher_id": "guest-1", "forwarders": [{"stream_id": 7, "type": "audio"}]}]}}
      """;

  private HttpServer janus;
  private int status = 200;
  private int code;
  private String listed = "";
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
                      ? answer(request)
                      : "{\"janus\": \"success\", \"response\": {\"error_code\": %d}}"
                          .formatted(code))
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    janus.start();
  }

  @AfterEach
  void stop() {
    janus.stop(0);
  }

  private String answer(JsonNode request) {
    return switch (request.path("request").asString()) {
      case "listparticipants" -> listed;
      case "listforwarders" -> FORWARDERS;
      default -> forwarding(request);
    };
  }

  private void listed(String... participants) {
    listed =
        """
        {"janus": "success", "response": {"participants": [%s]}}
        """
            .formatted(String.join(",", participants));
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
      return catchThrowableOfType(ForwardingRefused.class, () -> forwarder.forward(ADA));
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
      List<JanusForwarder.Forward> forwards = forwarder.forward(ADA);
      assertThat(forwards).hasSize(1);
      assertThat(forwards.getFirst().video()).isFalse();
      assertThat(asked).containsExactly("rtp_forward ", "stop_rtp_forward 8");
    }
  }

  /** Janus has participants in a hash table, whose order changes as it grows. */
  @Test
  void whoIsShownKeepsThePlaceWhateverTheOrderOfTheList() throws Exception {
    try (JanusForwarder forwarder = forwarder()) {
      listed(ADA_LISTED, BEN_LISTED);
      assertThat(forwarder.publishers(List.of(BEN, ADA), 2).publishers()).containsExactly(BEN, ADA);
      assertThat(forwarder.publishers(List.of(BEN), 1).publishers()).containsExactly(BEN);
      assertThat(forwarder.publishers(List.of(), 1).publishers()).containsExactly(ADA);
    }
  }

  @Test
  void theDummyPublisherOfARoomIsNotForwarded() throws Exception {
    try (JanusForwarder forwarder = forwarder()) {
      listed(
          """
          {"id": "31415", "display": "Dummy publisher", "dummy": true, "publisher": true}
          """,
          ADA_LISTED);
      assertThat(forwarder.publishers(List.of(), 2).publishers()).containsExactly(ADA);
    }
  }

  @Test
  void whatIsForwardedNoMoreIsNoticed() throws Exception {
    NotedForward sound = new NotedForward("guest-1", 7);
    try (JanusForwarder forwarder = forwarder()) {
      assertThat(forwarder.forwards(List.of(sound))).isTrue();
      assertThat(forwarder.forwards(List.of(sound, new NotedForward("guest-1", 8)))).isFalse();
      assertThat(forwarder.forwards(List.of(new NotedForward("guest-2", 7)))).isFalse();
      code = 433;
      assertThat(forwarder.forwards(List.of(new NotedForward("guest-2", 7)))).isTrue();
    }
  }

  /** Some proxies answer without a body while Janus is away, others with JSON of their own. */
  @Test
  void aProxyWithoutItsJanusIsNoRefusal() {
    status = 502;
    try (JanusForwarder forwarder = forwarder()) {
      for (String body : List.of("", "{\"message\": \"no upstream\"}")) {
        listed = body;
        assertThat(catchThrowableOfType(JanusAway.class, () -> forwarder.publishers(List.of(), 2)))
            .hasMessageContaining("status 502");
      }
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

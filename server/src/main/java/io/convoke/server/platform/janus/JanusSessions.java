package io.convoke.server.platform.janus;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sessions of clients at the HTTP API of a Janus, with its API secret. Calls block the calling
 * virtual thread for a bounded time.
 */
public final class JanusSessions {

  /** What Janus answers to a message; who waits for events of such a session gets a bare 404. */
  private static final byte[] NO_SUCH_SESSION =
      """
      {"janus": "error", "error": {"code": 458, "reason": "No such session"}}
      """
          .getBytes(StandardCharsets.UTF_8);

  /** The API holds a request for events up to 30 s. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(35);

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Events in one answer. */
  private static final int EVENTS_MAX = 10;

  /** Session descriptions are some KiB. */
  private static final long ANSWER_BYTES_MAX = 1 << 20;

  private final HttpClient client = HttpClientFactory.create(TIMEOUT);
  private final URI url;
  private final Optional<String> apiSecret;

  /**
   * Sessions at this API.
   *
   * @param url such as {@code http://janus:8088/janus}
   */
  public JanusSessions(URI url, Optional<String> apiSecret) {
    this.url = url;
    this.apiSecret = apiSecret;
  }

  /** What Janus answered. */
  public sealed interface SessionReply {
    /** Its answer, never compared. */
    @SuppressWarnings("ArrayRecordComponent")
    record SessionAnswered(byte[] json) implements SessionReply {}

    /** It did not answer. */
    record SessionCallFailed() implements SessionReply {}
  }

  /** Sends a message to a session or handle, {@code /123} or {@code /123/456}. */
  public SessionReply send(String path, ObjectNode message) {
    ObjectNode sent = message.deepCopy();
    apiSecret.ifPresent(secret -> sent.put("apisecret", secret));
    return exchange(
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(sent))),
        TIMEOUT);
  }

  /** Waits for events of a session: an array of them, or the error of a session that is over. */
  public SessionReply await(String path) {
    String secret =
        apiSecret
            .map(it -> "&apisecret=" + URLEncoder.encode(it, StandardCharsets.UTF_8))
            .orElse("");
    return exchange(
        HttpRequest.newBuilder(URI.create(url + path + "?maxev=" + EVENTS_MAX + secret)).GET(),
        WAIT_MAX);
  }

  private SessionReply exchange(HttpRequest.Builder request, Duration atMost) {
    try {
      HttpResponse<byte[]> response =
          WholeAnswer.of(
              client,
              request.build(),
              HttpResponse.BodyHandlers.limiting(
                  HttpResponse.BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX),
              atMost);
      return switch (response.statusCode()) {
        case 200 -> new SessionReply.SessionAnswered(response.body());
        case 404 -> new SessionReply.SessionAnswered(NO_SUCH_SESSION.clone());
        default -> new SessionReply.SessionCallFailed();
      };
    } catch (IOException failed) {
      return new SessionReply.SessionCallFailed();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return new SessionReply.SessionCallFailed();
    }
  }
}

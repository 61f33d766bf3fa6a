package io.convoke.server.platform.janus;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Requests to the VideoRoom plugin of a Janus, each a {@code message_plugin} of its admin API.
 * Janus answers a request that it refuses with 200 and an error in the body. Calls block the
 * calling virtual thread for a bounded time; a failure is a value, and no secret is logged.
 */
public final class JanusAdmin {

  /** The plugin whose rooms are meetings. */
  static final String VIDEO_ROOM = "janus.plugin.videoroom";

  /** The plugin's code for a room that it does not have. */
  public static final int NO_SUCH_ROOM = 426;

  /** The plugin's code for a room that it has already. */
  public static final int ROOM_EXISTS = 427;

  /** The plugin's code for a wrong secret, PIN or key. */
  public static final int UNAUTHORIZED = 433;

  /** Largest answer that is read: about 100,000 participants. */
  private static final int MAX_BODY_BYTES = 16 * 1024 * 1024;

  private final HttpClient client;
  private final JanusConfig terms;
  private final RateLimiter rateLimiter;

  public JanusAdmin(JanusConfig terms, RateLimiter rateLimiter) {
    this.terms = terms;
    this.rateLimiter = rateLimiter;
    this.client = HttpClientFactory.create(terms.timeout());
  }

  /** Result of one request. */
  public sealed interface JanusReply {

    /** The plugin's response. */
    record JanusAnswer(JsonNode response) implements JanusReply {}

    /** The plugin refused the request, with a code of its own. */
    record JanusRefusal(int code, String reason) implements JanusReply {}

    /** Janus did not answer, or refused us. */
    record JanusCallFailed(PlatformError outage) implements JanusReply {}
  }

  /** Sends a request, such as {@code listparticipants}, with these fields. */
  public JanusReply send(String request, Map<String, ?> fields) {
    return send(request, fields, rateLimiter.tryAcquire());
  }

  /** The same with priority, for a bulk query that replaces many calls. */
  JanusReply sendAhead(String request, Map<String, ?> fields) {
    return send(request, fields, rateLimiter.takeAhead());
  }

  /** The key that opens private rooms and makes rooms. */
  public String adminKey() {
    return terms.adminKey();
  }

  private JanusReply send(String request, Map<String, ?> fields, Optional<Duration> wait) {
    if (wait.isPresent()) {
      return new JanusReply.JanusCallFailed(PlatformError.rateLimited(wait.get()));
    }
    ObjectNode body = Json.mapper().createObjectNode();
    fields.forEach((name, value) -> body.set(name, Json.mapper().valueToTree(value)));
    body.put("request", request);
    return call(
        Map.of(
            "janus",
            "message_plugin",
            "transaction",
            UUID.randomUUID().toString(),
            "admin_secret",
            terms.adminSecret(),
            "plugin",
            VIDEO_ROOM,
            "request",
            body));
  }

  private JanusReply call(Map<String, ?> message) {
    HttpRequest request =
        HttpRequest.newBuilder(terms.adminUrl())
            .header("Content-Type", "application/json")
            .timeout(terms.timeout())
            .POST(BodyPublishers.ofByteArray(Json.bytes(message)))
            .build();
    try {
      return read(
          WholeAnswer.of(
              client,
              request,
              BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_BODY_BYTES),
              terms.timeout()));
    } catch (HttpTimeoutException late) {
      return failed(PlatformErrorKind.TIMEOUT);
    } catch (IOException broken) {
      return failed(PlatformErrorKind.UNREACHABLE);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return failed(PlatformErrorKind.TIMEOUT);
    }
  }

  private static JanusReply read(HttpResponse<byte[]> response) {
    if (response.statusCode() != 200) {
      return failed(
          response.statusCode() >= 500
              ? PlatformErrorKind.SERVER_ERROR
              : PlatformErrorKind.REFUSED);
    }
    JsonNode body;
    try {
      body = Json.mapper().readTree(response.body());
    } catch (JacksonException unreadable) {
      return failed(PlatformErrorKind.MALFORMED);
    }
    JsonNode answer = body.path("response");
    return switch (body.path("janus").asString("")) {
      case "success" ->
          answer.has("error_code")
              ? new JanusReply.JanusRefusal(
                  answer.path("error_code").asInt(0), answer.path("error").asString(""))
              : new JanusReply.JanusAnswer(answer);
      case "error" -> failed(PlatformErrorKind.REFUSED);
      default -> failed(PlatformErrorKind.MALFORMED);
    };
  }

  private static JanusReply failed(PlatformErrorKind platformErrorKind) {
    return new JanusReply.JanusCallFailed(PlatformError.of(platformErrorKind));
  }

  /** An id of a room or a participant, which is a number unless {@code string_ids} is set. */
  static String id(JsonNode node) {
    return node.isString() || node.isIntegralNumber() ? node.asString() : "";
  }

  /** The name that a participant shows. */
  static Optional<String> display(JsonNode participant) {
    return Optional.of(participant.path("display").asString("")).filter(name -> !name.isBlank());
  }
}

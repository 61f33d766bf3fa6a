package io.convoke.server.crm;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * One bounded request to a CRM and what its status means. Requests keep to the CRM's limits: after
 * a refusal with {@code Retry-After} none is sent until that time has passed.
 */
final class CrmHttpClient implements AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
  private static final int ANSWER_BYTES_MAX = 1024 * 1024;
  private static final int SAID_MAX = 300;

  /** Besides 5xx: timeout, too early, locked, too many requests, HubSpot moves the account. */
  private static final Set<Integer> RETRIED = Set.of(408, 423, 425, 429, 477);

  private final HttpClient client;
  private final CrmPause pause;

  /** {@code limiter} holds what all nodes together may send. */
  CrmHttpClient(RateLimiter limiter) {
    this(HttpClientFactory.create(CONNECT_MAX), limiter);
  }

  private CrmHttpClient(HttpClient client, RateLimiter limiter) {
    this.client = client;
    this.pause = new CrmPause(limiter, InstantSource.system());
  }

  /** For another account of the same CRM, which has limits of its own. */
  CrmHttpClient with(RateLimiter limiter) {
    return new CrmHttpClient(client, limiter);
  }

  /** What a CRM says that a repetition of the same request would not change. */
  sealed interface CrmReply {
    /** A 2xx; the body is missing if it is not JSON. */
    record CrmAnswer(int status, JsonNode body) implements CrmReply {
      /** The messages of the {@code errors} in the body, in one line; empty if there are none. */
      String errors() {
        List<String> messages = new ArrayList<>();
        for (JsonNode error : body.path("errors")) {
          String message = error.isString() ? error.asString() : error.path("message").asString("");
          messages.add(message.isEmpty() ? error.toString() : message);
        }
        return line(String.join("; ", messages));
      }
    }

    /** A 4xx that is final. */
    record CrmRefusal(int status, String why) implements CrmReply {
      /** The key is wrong or may not do this; an operator can change that. */
      boolean keyRefused() {
        return status == 401 || status == 403;
      }
    }
  }

  /**
   * Sends JSON.
   *
   * @throws IOException when a retry may succeed, and when the CRM's limits need a longer wait
   */
  CrmReply post(URI url, byte[] body, Map<String, String> headers)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(url)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body)),
        headers);
  }

  /** Reads; throws as {@link #post}. */
  CrmReply get(URI url, Map<String, String> headers) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(url).GET(), headers);
  }

  private CrmReply send(HttpRequest.Builder request, Map<String, String> headers)
      throws IOException, InterruptedException {
    pause.await();
    var _ = request.timeout(ANSWER_MAX).header("Accept", "application/json");
    headers.forEach(request::header);
    HttpResponse<byte[]> response =
        WholeAnswer.of(
            client,
            request.build(),
            HttpResponse.BodyHandlers.limiting(
                HttpResponse.BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX),
            ANSWER_MAX);
    int status = response.statusCode();
    JsonNode body = json(response.body());
    if (status >= 200 && status < 300) {
      return new CrmReply.CrmAnswer(status, body);
    }
    String why = "the CRM answered " + status + " " + said(body, response.body());
    if (status < 400 || status >= 500 || RETRIED.contains(status)) {
      pause.begin(
          status,
          response.headers().firstValue("Retry-After"),
          body.path("policyName").asString(""));
      throw new IOException(why);
    }
    return new CrmReply.CrmRefusal(status, why);
  }

  @Override
  public void close() {
    pause.close();
    client.shutdownNow();
  }

  private static JsonNode json(byte[] body) {
    try {
      return Json.mapper().readTree(body);
    } catch (JacksonException notJson) {
      return MissingNode.getInstance();
    }
  }

  private static String said(JsonNode json, byte[] body) {
    String message = json.path("message").asString("");
    return line(message.isEmpty() ? new String(body, StandardCharsets.UTF_8) : message);
  }

  private static String line(String text) {
    String line = text.replace("\0", "").strip().replaceAll("\\s+", " ");
    return line.substring(0, Math.min(line.length(), SAID_MAX));
  }
}

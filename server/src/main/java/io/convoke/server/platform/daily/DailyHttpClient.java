package io.convoke.server.platform.daily;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * HTTP client of Daily's API, with timeout and rate limit. A failure is a value with its cause; the
 * key is never logged.
 */
final class DailyHttpClient {

  /** Wait after a 429 without {@code Retry-After}. */
  private static final Duration DEFAULT_FREEZE = Duration.ofSeconds(5);

  /** Longest {@code Retry-After} that is honoured. */
  private static final Duration MAX_FREEZE = Duration.ofMinutes(2);

  /** Largest response that is read: about 300,000 participants. */
  private static final int MAX_BODY_BYTES = 64 * 1024 * 1024;

  private final HttpClient client;
  private final DailyConfig terms;
  private final RateLimiter rateLimiter;

  DailyHttpClient(DailyConfig terms, RateLimiter rateLimiter) {
    this.terms = terms;
    this.rateLimiter = rateLimiter;
    this.client = HttpClientFactory.create(terms.timeout());
  }

  /** Result of one call. */
  sealed interface DailyReply {

    record DailyJsonReply(JsonNode body) implements DailyReply {}

    record DailyCallFailed(PlatformError outage) implements DailyReply {}
  }

  DailyReply get(String path) {
    return send(request(path).GET(), rateLimiter.tryAcquire());
  }

  /** GET with priority, for a bulk query that replaces many calls. */
  DailyReply getAhead(String path) {
    return send(request(path).GET(), rateLimiter.takeAhead());
  }

  /** POST of a JSON object. */
  DailyReply post(String path, Object body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(Json.bytes(body))),
        rateLimiter.tryAcquire());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(terms.apiUrl() + path))
        .header("Authorization", "Bearer " + terms.apiKey())
        .header("Accept", "application/json")
        .timeout(terms.timeout());
  }

  private DailyReply send(HttpRequest.Builder prepared, Optional<Duration> wait) {
    if (wait.isPresent()) {
      return new DailyReply.DailyCallFailed(PlatformError.rateLimited(wait.get()));
    }
    HttpRequest request = prepared.build();
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

  private DailyReply read(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    if (status == 200) {
      return parse(response.body());
    }
    if (status == 429) {
      Duration freeze = retryAfter(response);
      rateLimiter.freeze(freeze);
      return new DailyReply.DailyCallFailed(PlatformError.rateLimited(freeze));
    }
    return failed(
        status == 404
            ? PlatformErrorKind.NOT_FOUND
            : status >= 500 ? PlatformErrorKind.SERVER_ERROR : PlatformErrorKind.REFUSED);
  }

  private static DailyReply parse(byte[] body) {
    try {
      return new DailyReply.DailyJsonReply(Json.mapper().readTree(body));
    } catch (JacksonException unreadable) {
      return failed(PlatformErrorKind.MALFORMED);
    }
  }

  private static Duration retryAfter(HttpResponse<?> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .filter(value -> value.matches("\\d{1,6}(\\.\\d{1,3})?"))
        .map(value -> Duration.ofMillis(Math.round(Double.parseDouble(value) * 1000)))
        .map(wait -> wait.compareTo(MAX_FREEZE) > 0 ? MAX_FREEZE : wait)
        .orElse(DEFAULT_FREEZE);
  }

  private static DailyReply failed(PlatformErrorKind platformErrorKind) {
    return new DailyReply.DailyCallFailed(PlatformError.of(platformErrorKind));
  }
}

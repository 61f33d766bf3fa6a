package io.convoke.server.http.listener;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import io.convoke.server.trace.Traceparent;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;
import org.jspecify.annotations.Nullable;

/** Renders refusals of the web server itself as problem+json. */
final class TransportErrorHandler implements DirectHandler {
  // What the web server says then; its own status is that of all wrong requests.
  private static final String HEADERS_TOO_LARGE = "Header size exceeded";
  private static final String ENCODED_BODY =
      "Content-Encoding header present when content encoding is disabled";

  static DirectHandlers handlers() {
    TransportErrorHandler problems = new TransportErrorHandler();
    DirectHandlers.Builder builder = DirectHandlers.builder();
    for (EventType type : EventType.values()) {
      builder.addHandler(type, problems);
    }
    return builder.build();
  }

  @Override
  public TransportResponse handle(
      TransportRequest request,
      EventType eventType,
      Status status,
      ServerResponseHeaders headers,
      @Nullable String message) {
    Problem problem = problem(status.code(), message);
    return TransportResponse.builder()
        .status(Status.create(problem.status(), Problem.titleOf(problem.status())))
        .headers(headers)
        .header(HeaderNames.CONTENT_TYPE, "application/problem+json")
        .header(HeaderNames.CACHE_CONTROL, "no-store")
        .keepAlive(false)
        .entity(Json.bytes(problem.body(Traceparent.fresh().getTraceId())))
        .build();
  }

  private static Problem problem(int status, @Nullable String message) {
    if (HEADERS_TOO_LARGE.equals(message)) {
      return Problem.of(431, "headers_too_large", "The header fields are too large.");
    }
    if (ENCODED_BODY.equals(message)) {
      return Problem.of(
          415, "unsupported_media_type", "A body with a Content-Encoding is not taken.");
    }
    return switch (status) {
      case 413 -> Problem.of(413, "too_large", "The body is too large.");
      case 414 -> Problem.of(414, "uri_too_long", "The address is too long.");
      case 500 -> Problem.of(500, "internal", "Internal error.");
      case 503 -> Problem.of(503, "unavailable", "Too many requests at once.");
      case 505 -> Problem.of(505, "http_version_not_supported", "Only HTTP/1.1 is spoken here.");
      default -> Problem.badRequest("request", "is not valid HTTP");
    };
  }
}

package io.convoke.server.http.listener;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import io.convoke.server.trace.Traceparent;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;

/** Renders refusals of the web server itself as problem+json. */
final class TransportErrorHandler implements DirectHandler {

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
      String message) {
    Problem problem = problem(status.code());
    return TransportResponse.builder()
        .status(status)
        .headers(headers)
        .header(HeaderNames.CONTENT_TYPE, "application/problem+json")
        .header(HeaderNames.CACHE_CONTROL, "no-store")
        .keepAlive(false)
        .entity(Json.bytes(problem.body(Traceparent.fresh().getTraceId())))
        .build();
  }

  private static Problem problem(int status) {
    return switch (status) {
      case 413 -> Problem.of(413, "too_large", "The body is too large.");
      case 414 -> Problem.of(414, "uri_too_long", "The address is too long.");
      case 431 -> Problem.of(431, "headers_too_large", "The header fields are too large.");
      case 503 -> Problem.of(503, "unavailable", "Too many requests at once.");
      case 500 -> Problem.of(500, "internal", "Internal error.");
      default -> Problem.of(status, "bad_request", "The request is not valid HTTP.");
    };
  }
}

package io.convoke.server.http.listener;

import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps exceptions of handlers to problems for the caller. Causes are only logged. */
final class ExceptionMapper {
  private static final Logger log = LoggerFactory.getLogger(ExceptionMapper.class);

  private ExceptionMapper() {}

  static Problem problem(Throwable thrown, Endpoint endpoint, String traceId) {
    return switch (thrown) {
      case Problem problem -> problem;
      case StoreUnavailable _ -> unavailable("The database", thrown, endpoint, traceId);
      case ProviderFailure failure when failure.retryable() ->
          unavailable("The database", thrown, endpoint, traceId);
      case RedisUnavailable _ -> unavailable("Redis", thrown, endpoint, traceId);
      case InterruptedException _ ->
          Problem.of(503, "unavailable", "The server is shutting down; retry.");
      default -> internal(thrown, endpoint, traceId);
    };
  }

  private static Problem unavailable(
      String what, Throwable thrown, Endpoint endpoint, String traceId) {
    log.warn(
        "{} is unreachable for {} (trace {}): {}", what, endpoint.id(), traceId, reason(thrown));
    return Problem.unavailable(what);
  }

  private static Problem internal(Throwable thrown, Endpoint endpoint, String traceId) {
    log.error("{} failed (trace {})", endpoint.id(), traceId, thrown);
    return Problem.of(
        500, "internal", "Internal error; the server's log has it under this trace_id.");
  }

  private static String reason(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return String.valueOf(cause == null ? thrown.getMessage() : cause.getMessage());
  }
}

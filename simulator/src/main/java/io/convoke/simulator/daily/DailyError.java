package io.convoke.simulator.daily;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.SimResponse;

/** Daily's error codes and their statuses. */
enum DailyError {
  AUTHORIZATION_HEADER(400, "authorization-header-error"),
  AUTHENTICATION(401, "authentication-error"),
  FORBIDDEN(403, "forbidden-error"),
  INVALID_REQUEST(400, "invalid-request-error"),
  JSON_PARSING(400, "json-parsing-error"),
  NOT_FOUND(404, "not-found"),
  RATE_LIMIT(429, "rate-limit-error"),
  SERVER(500, "server-error");

  private final int status;
  private final String code;

  DailyError(int status, String code) {
    this.status = status;
    this.code = code;
  }

  SimResponse answer(String info) {
    return SimResponse.json(status, JsonObjectBuilder.of("error", code).put("info", info).map());
  }
}

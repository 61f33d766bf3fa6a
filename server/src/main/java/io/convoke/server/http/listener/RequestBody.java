package io.convoke.server.http.listener;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The body of one request: its bytes, and its tree where the endpoint takes JSON. */
@SuppressWarnings("ArrayRecordComponent") // handed through once, never compared
record RequestBody(byte[] bytes, Optional<JsonNode> tree) {
  static final RequestBody NONE = new RequestBody(new byte[0], Optional.empty());
}

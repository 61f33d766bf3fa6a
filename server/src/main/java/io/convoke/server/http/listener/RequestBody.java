package io.convoke.server.http.listener;

import java.io.InputStream;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The body of one request: its bytes, and its tree where the endpoint takes JSON; or what is still
 * to be read of it.
 */
@SuppressWarnings("ArrayRecordComponent") // handed through once, never compared
record RequestBody(byte[] bytes, Optional<JsonNode> tree, InputStream stream) {
  static final RequestBody NONE = new RequestBody(new byte[0], Optional.empty());

  RequestBody(byte[] bytes, Optional<JsonNode> tree) {
    this(bytes, tree, InputStream.nullInputStream());
  }
}

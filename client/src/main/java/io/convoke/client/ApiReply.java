package io.convoke.client;

import io.convoke.client.ConvokeException.NoAnswer;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A success. */
final class ApiReply {
  private final HttpHeaders headers;
  private final byte[] content;

  ApiReply(HttpHeaders headers, byte[] content) {
    this.headers = headers;
    this.content = content;
  }

  byte[] content() {
    return content;
  }

  String text() {
    return new String(content, StandardCharsets.UTF_8);
  }

  JsonNode json() {
    try {
      return ApiJson.MAPPER.readTree(content);
    } catch (JacksonException e) {
      throw new NoAnswer("The answer is not JSON: is this the address of a Convoke server?", e);
    }
  }

  /** Where the next page of a document is; empty after the last one. */
  Optional<String> nextCursor() {
    return headers.firstValue("Next-Cursor");
  }

  /** The address to go on at. */
  URI location() {
    return URI.create(headers.firstValue("Location").orElse(""));
  }
}

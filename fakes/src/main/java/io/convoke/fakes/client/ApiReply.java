package io.convoke.fakes.client;

import tools.jackson.databind.JsonNode;

/**
 * The answer to a call.
 *
 * @param status 0 without an answer
 * @param body missing when there was none or it was no JSON
 */
public record ApiReply(int status, JsonNode body) {

  public boolean ok() {
    return status >= 200 && status < 300;
  }

  /** This response, or a failure that names it. */
  ApiReply orFail(String what) {
    if (!ok()) {
      throw new IllegalStateException(what + " was answered " + status + " " + body);
    }
    return this;
  }
}

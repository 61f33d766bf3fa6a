package io.convoke.chaos.dispatch.rules;

import java.time.Instant;

/** A client's stop request; status 0 without a response. */
public record StopCall(String id, int server, int status, Instant sent, Instant answered) {
  boolean acknowledged() {
    return status == 202;
  }
}

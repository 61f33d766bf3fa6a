package io.convoke.chaos.dispatch.rules;

import java.time.Instant;

/** Somebody wanted a task to stop; status 0 when nobody answered. */
public record StopCall(String id, int server, int status, Instant sent, Instant answered) {
  boolean acknowledged() {
    return status == 202;
  }
}

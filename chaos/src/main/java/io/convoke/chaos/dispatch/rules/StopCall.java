package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Instant;

/** A client's stop request; status 0 without a response. */
public record StopCall(String id, int server, int status, Instant sent, Instant answered) {
  TimedReply reply() {
    return new TimedReply("stop of " + id, FaultTimeline.server(server), status, sent, answered);
  }

  boolean acknowledged() {
    return status == 202;
  }
}

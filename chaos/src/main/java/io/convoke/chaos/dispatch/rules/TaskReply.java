package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Instant;

/**
 * A response to a task request.
 *
 * @param status 0 without a response
 * @param id of the task; empty if the response has none
 */
public record TaskReply(
    String request, int server, int status, String id, Instant sent, Instant answered) {
  TimedReply reply() {
    return new TimedReply(
        "request " + request, FaultTimeline.server(server), status, sent, answered);
  }

  boolean accepted() {
    return status == 202 || status == 200;
  }
}

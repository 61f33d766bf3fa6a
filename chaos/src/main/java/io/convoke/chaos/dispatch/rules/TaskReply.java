package io.convoke.chaos.dispatch.rules;

import java.time.Instant;

/**
 * What somebody was answered who asked for a task.
 *
 * @param status 0 when nobody answered
 * @param id of the task; empty where there is none in the answer
 */
public record TaskReply(
    String request, int server, int status, String id, Instant sent, Instant answered) {
  boolean accepted() {
    return status == 202 || status == 200;
  }
}

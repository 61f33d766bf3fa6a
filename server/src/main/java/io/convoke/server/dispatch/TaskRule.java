package io.convoke.server.dispatch;

import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** A rule about tasks of users, beside quotas. */
@FunctionalInterface
public interface TaskRule {
  /** Every task is fine. */
  TaskRule NONE = (user, type, channel) -> {};

  /**
   * Checks a task before it is accepted, and before it is done again.
   *
   * @throws io.convoke.server.http.Problem if this user may not submit it
   */
  void check(long user, String type, String channel);

  /**
   * The payload that the pod gets, of the one that was submitted.
   *
   * @param user the task's; empty is the operator
   * @throws io.convoke.server.http.Problem if the payload has what is not this user's
   */
  default ObjectNode payload(
      Optional<Long> user, String type, String channel, ObjectNode submitted) {
    return submitted;
  }

  /** Whether such a task stores files that count as the user's. */
  default boolean stores(String type, ObjectNode submitted) {
    return false;
  }
}

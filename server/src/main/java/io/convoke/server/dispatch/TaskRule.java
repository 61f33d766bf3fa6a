package io.convoke.server.dispatch;

/** A rule about tasks of users, beside quotas. */
@FunctionalInterface
public interface TaskRule {
  /** Every task is fine. */
  TaskRule NONE = (user, type, channel) -> {};

  /**
   * Checks a task before it is accepted.
   *
   * @throws io.convoke.server.http.Problem if this user may not submit it
   */
  void check(long user, String type, String channel);
}

package io.convoke.server.http;

/** Decides whether a user may have one more object of a kind. */
@FunctionalInterface
public interface QuotaCheck {
  /** Every user may. */
  QuotaCheck NONE = (_, _, _) -> {};

  /**
   * Permits one more object.
   *
   * @param streams how many event streams the user reads on this node
   * @throws Problem 429 {@code quota_exceeded} if the user has as many as the quota permits
   */
  void permitOneMore(QuotaName quota, long userId, long streams);

  /**
   * Permits several more objects, or none of them.
   *
   * @param streams how many event streams the user reads on this node
   * @throws Problem 429 {@code quota_exceeded} if the user would have more than the quota permits
   */
  default void permitMore(QuotaName quota, int count, long userId, long streams) {
    for (int i = 0; i < count; i++) {
      permitOneMore(quota, userId, streams);
    }
  }
}

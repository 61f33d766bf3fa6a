package io.convoke.server.http;

/** Decides whether a user may have more objects of a kind. */
@FunctionalInterface
public interface QuotaCheck {
  /** Every user may. */
  QuotaCheck NONE = (_, _, _, _) -> {};

  /**
   * Permits so many more objects, or none of them.
   *
   * @param streams how many event streams the user reads on this node
   * @throws Problem 429 {@code quota_exceeded} if the user would have more than the quota permits
   */
  void permitMore(QuotaName quota, int count, long userId, long streams);

  /** Permits one more object; throws as {@link #permitMore}. */
  default void permitOneMore(QuotaName quota, long userId, long streams) {
    permitMore(quota, 1, userId, streams);
  }
}

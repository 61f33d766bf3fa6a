package io.convoke.engine.dispatch;

/** An event of a task; each is one Lua script. */
public sealed interface TaskEvent {
  /** A pod claims it for a free slot; {@code late} if its deadline has passed. */
  record Claim(boolean late) implements TaskEvent {}

  /** The pod renews its lease. */
  record Renew(int attempt) implements TaskEvent {}

  /** The pod completed it. */
  record Complete(int attempt) implements TaskEvent {}

  /** The pod failed it without retry. */
  record Fail(int attempt) implements TaskEvent {}

  /** The pod asks for a retry; for {@code ranLong} see {@link HandBack}. */
  record TryAgain(int attempt, boolean ranLong) implements TaskEvent {}

  /**
   * The pod returns it without a failure.
   *
   * @param ranLong whether the attempt was renewed for a whole lease or longer
   */
  record HandBack(int attempt, boolean ranLong) implements TaskEvent {}

  /** A client requested a stop. */
  record Stop() implements TaskEvent {}

  /** Its deadline has passed. */
  record Expire() implements TaskEvent {}

  /** Its pod died or did not renew its lease. */
  record Reclaim(boolean ranLong) implements TaskEvent {}

  /** It moves from its region's queue to the overflow queue. */
  record Overflow() implements TaskEvent {}
}

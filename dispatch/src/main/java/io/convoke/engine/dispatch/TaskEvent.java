package io.convoke.engine.dispatch;

/** What happens to a task after it was taken in; each is one function in Redis. */
public sealed interface TaskEvent {
  /** A pod takes it for a free slot; {@code late} if it has waited longer than it may. */
  record Claim(boolean late) implements TaskEvent {}

  /** Its holder extends its lease. */
  record Renew(int attempt) implements TaskEvent {}

  /** Its holder is done. */
  record Complete(int attempt) implements TaskEvent {}

  /** Its holder says that it cannot be done. */
  record Fail(int attempt) implements TaskEvent {}

  /** Its holder says that it may be tried again; {@code ranLong} as for all that follow. */
  record TryAgain(int attempt, boolean ranLong) implements TaskEvent {}

  /**
   * Its holder does not go on with it, through no fault of the task's.
   *
   * @param ranLong whether the attempt was renewed for a whole lease or longer
   */
  record HandBack(int attempt, boolean ranLong) implements TaskEvent {}

  /** Somebody wants it to stop. */
  record Stop() implements TaskEvent {}

  /** It has waited longer than it may. */
  record Expire() implements TaskEvent {}

  /** Its pod died or did not renew its lease. */
  record Reclaim(boolean ranLong) implements TaskEvent {}

  /** It leaves its region's queue for the global one. */
  record Overflow() implements TaskEvent {}
}

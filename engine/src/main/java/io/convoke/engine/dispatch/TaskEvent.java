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

  /** Its holder says that it may be tried again. */
  record TryAgain(int attempt) implements TaskEvent {}

  /** Somebody wants it to stop. */
  record Stop() implements TaskEvent {}

  /** It has waited longer than it may. */
  record Expire() implements TaskEvent {}

  /** Its pod died or did not renew its lease. */
  record Reclaim() implements TaskEvent {}

  /** It leaves its region's queue for the global one. */
  record Overflow() implements TaskEvent {}
}

package io.convoke.engine.wake;

/** What one look for work came back with. */
public sealed interface PollResult<T> {
  /**
   * Work, which is the caller's now.
   *
   * @param more false when the look saw that there is nothing beyond it
   */
  record WorkFound<T>(T work, boolean more) implements PollResult<T> {}

  /** There was nothing that anybody could take. */
  record NoWork<T>() implements PollResult<T> {}

  /** There may be work, but others were at it; another look may find some. */
  record WorkContended<T>() implements PollResult<T> {}

  static <T> PollResult<T> found(T work) {
    return new WorkFound<>(work, true);
  }

  static <T> PollResult<T> empty() {
    return new NoWork<>();
  }

  static <T> PollResult<T> contended() {
    return new WorkContended<>();
  }
}

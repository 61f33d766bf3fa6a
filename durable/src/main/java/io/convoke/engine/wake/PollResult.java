package io.convoke.engine.wake;

/** The result of one poll for work. */
public sealed interface PollResult<T> {
  /**
   * Work, which the caller now holds.
   *
   * @param more false if the poll saw that there is no further work
   */
  record WorkFound<T>(T work, boolean more) implements PollResult<T> {}

  /** There was no claimable work. */
  record NoWork<T>() implements PollResult<T> {}

  /** Other claimants took the work that the poll saw; another poll may find some. */
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

package io.convoke.engine.wake;

/** What one look for work came back with. */
public sealed interface Attempt<T> {
  /**
   * Work, which is the caller's now.
   *
   * @param more false when the look saw that there is nothing beyond it
   */
  record Found<T>(T work, boolean more) implements Attempt<T> {}

  /** There was nothing that anybody could take. */
  record Empty<T>() implements Attempt<T> {}

  /** There may be work, but others were at it; another look may find some. */
  record Contended<T>() implements Attempt<T> {}

  static <T> Attempt<T> found(T work) {
    return new Found<>(work, true);
  }

  static <T> Attempt<T> empty() {
    return new Empty<>();
  }

  static <T> Attempt<T> contended() {
    return new Contended<>();
  }
}

package io.convoke.bench.signals;

/** One setting of the flag, and what became of it. */
final class Signal {
  private final Kind kind;
  private final Point point;
  private final int at;
  private boolean begun;
  private boolean asked;
  private boolean heard;

  /** {@code at} is its place in the order of all steps of the interleaving. */
  Signal(Kind kind, Point point, int at) {
    this.kind = kind;
    this.point = point;
    this.at = at;
    this.heard = kind != Kind.WEBHOOK;
  }

  Kind kind() {
    return kind;
  }

  Point point() {
    return point;
  }

  /** A poll that began and asked at these places ended well. */
  void polled(int began, int askedAt) {
    begun |= at < began;
    asked |= at < askedAt;
  }

  /** What the webhook said was given to a worker that committed it. */
  void heard() {
    heard = true;
  }

  /** No poll that ended well began after it, or what it said was never committed. */
  boolean lost() {
    return !begun || !heard;
  }

  /** Not even a question to the platform came after it. */
  boolean unseen() {
    return !asked;
  }
}

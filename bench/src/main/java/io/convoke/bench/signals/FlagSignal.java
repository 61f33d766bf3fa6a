package io.convoke.bench.signals;

/** One setting of the flag, and what became of it. */
final class FlagSignal {
  private final SignalKind signalKind;
  private final SignalPoint signalPoint;
  private final int at;
  private boolean begun;
  private boolean asked;
  private boolean markDelivered;

  /** {@code at} is its place in the order of all steps of the interleaving. */
  FlagSignal(SignalKind signalKind, SignalPoint signalPoint, int at) {
    this.signalKind = signalKind;
    this.signalPoint = signalPoint;
    this.at = at;
    this.markDelivered = signalKind != SignalKind.WEBHOOK;
  }

  SignalKind kind() {
    return signalKind;
  }

  SignalPoint point() {
    return signalPoint;
  }

  /** A poll that began and asked at these places ended well. */
  void polled(int began, int askedAt) {
    begun |= at < began;
    asked |= at < askedAt;
  }

  /** What the webhook said was given to a worker that committed it. */
  void markDelivered() {
    markDelivered = true;
  }

  /** No poll that ended well began after it, or what it said was never committed. */
  boolean lost() {
    return !begun || !markDelivered;
  }

  /** Not even a question to the platform came after it. */
  boolean unseen() {
    return !asked;
  }
}

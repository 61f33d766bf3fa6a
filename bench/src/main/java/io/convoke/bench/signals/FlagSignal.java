package io.convoke.bench.signals;

/** One setting of the flag, and its result. */
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

  /** A poll that began and sent its request at these points succeeded. */
  void polled(int began, int askedAt) {
    begun |= at < began;
    asked |= at < askedAt;
  }

  /** A worker got the webhook's data and committed them. */
  void markDelivered() {
    markDelivered = true;
  }

  /** No successful poll began after it, or its data were never committed. */
  boolean lost() {
    return !begun || !markDelivered;
  }

  /** No request to the platform followed it. */
  boolean unseen() {
    return !asked;
  }
}

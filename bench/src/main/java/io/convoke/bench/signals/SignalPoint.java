package io.convoke.bench.signals;

/** The state of the poll at the time of a signal. */
enum SignalPoint {
  /** No worker holds the meeting. */
  IDLE("no poll runs"),
  /** A worker has begun and has not yet sent its request. */
  BEFORE_ASKING("before asking"),
  /** A worker has sent its request and not ended: the response may predate the signal. */
  AFTER_ASKING("after asking"),
  /** The worker is dead, or its lease has expired without its noticing. */
  UNHELD("lease lost, dead");

  private final String description;

  SignalPoint(String words) {
    this.description = words;
  }

  String description() {
    return description;
  }
}

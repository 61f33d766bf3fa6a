package io.convoke.bench.signals;

/** Where in the life of a poll a signal struck. */
enum SignalPoint {
  /** No worker holds the meeting. */
  IDLE("nobody works"),
  /** A worker has begun and has not yet asked the platform. */
  BEFORE_ASKING("before asking"),
  /** A worker has asked and not yet ended: the answer cannot know of the signal. */
  AFTER_ASKING("after asking"),
  /** The worker is dead, or its lease is gone and it does not know. */
  UNHELD("lease lost, dead");

  private final String description;

  SignalPoint(String words) {
    this.description = words;
  }

  String description() {
    return description;
  }
}

package io.convoke.server.presence;

import io.convoke.engine.signal.Signal;

/** The moments of presence that a test can wait for. */
final class PresenceSignals {

  /** A claim ended. */
  record Ended(long meeting, boolean poll, ReadyQueue.Outcome outcome) {}

  private final Signal<Long> committed = new Signal<>();
  private final Signal<Long> polled = new Signal<>();
  private final Signal<Ended> ended = new Signal<>();
  private final Signal<Ended> alone = new Signal<>();
  private final Signal<String> ticked = new Signal<>();
  private final Signal<Long> closed = new Signal<>();
  private final Signal<Long> drained = new Signal<>();
  private final Signal<String> routed = new Signal<>();
  private final Signal<String> recovered = new Signal<>();
  private final Signal<WebhookState> webhook = new Signal<>();

  /** Evidence of a meeting is in the database. */
  Signal<Long> committed() {
    return committed;
  }

  /** A snapshot of a meeting is in the database. */
  Signal<Long> polled() {
    return polled;
  }

  Signal<Ended> ended() {
    return ended;
  }

  /** A meeting of the database's due list was served without Redis. */
  Signal<Ended> alone() {
    return alone;
  }

  /** A reconciliation tick is done; says how. */
  Signal<String> ticked() {
    return ticked;
  }

  /** A meeting's sessions were closed at its end. */
  Signal<Long> closed() {
    return closed;
  }

  /** Events of a meeting left the inbox for the database. */
  Signal<Long> drained() {
    return drained;
  }

  /** A dead letter was kept; says why. */
  Signal<String> routed() {
    return routed;
  }

  /** The map of rooms is whole again. */
  Signal<String> recovered() {
    return recovered;
  }

  /** The state of the webhook changed. */
  Signal<WebhookState> webhook() {
    return webhook;
  }
}

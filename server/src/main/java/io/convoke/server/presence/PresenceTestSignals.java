package io.convoke.server.presence;

import io.convoke.engine.testhook.TestSignal;

/** Signals of presence that tests wait for. */
final class PresenceTestSignals {

  /** A claim ended. */
  record ClaimEnded(long meeting, boolean poll, ReadyQueue.ClaimOutcome outcome) {}

  private final TestSignal<Long> committed = new TestSignal<>();
  private final TestSignal<Long> polled = new TestSignal<>();
  private final TestSignal<ClaimEnded> ended = new TestSignal<>();
  private final TestSignal<ClaimEnded> alone = new TestSignal<>();
  private final TestSignal<String> ticked = new TestSignal<>();
  private final TestSignal<Long> closed = new TestSignal<>();
  private final TestSignal<Long> drained = new TestSignal<>();
  private final TestSignal<String> routed = new TestSignal<>();
  private final TestSignal<String> recovered = new TestSignal<>();
  private final TestSignal<WebhookState> webhook = new TestSignal<>();

  /** Evidence of a meeting is in the database. */
  TestSignal<Long> committed() {
    return committed;
  }

  /** A snapshot of a meeting is in the database. */
  TestSignal<Long> polled() {
    return polled;
  }

  TestSignal<ClaimEnded> ended() {
    return ended;
  }

  /** A meeting from the due list in Postgres was polled without Redis. */
  TestSignal<ClaimEnded> alone() {
    return alone;
  }

  /** A reconciliation tick is done; carries its mode. */
  TestSignal<String> ticked() {
    return ticked;
  }

  /** A meeting's sessions were closed at its end. */
  TestSignal<Long> closed() {
    return closed;
  }

  /** Events of a meeting left the inbox for the database. */
  TestSignal<Long> drained() {
    return drained;
  }

  /** A dead letter was stored; carries the reason. */
  TestSignal<String> routed() {
    return routed;
  }

  /** The room map was rebuilt. */
  TestSignal<String> recovered() {
    return recovered;
  }

  /** The state of the webhook changed. */
  TestSignal<WebhookState> webhook() {
    return webhook;
  }
}

package io.convoke.lab.sim.webhook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What was done to one event.
 *
 * @param delay how late a fault made it
 * @param reordered whether a fault held it behind the room's next event
 * @param copies how many times it was to be sent, 1 unless a fault repeats it
 * @param open copies whose delivery is not over
 */
public record Delivery(
    Envelope envelope,
    Fate fate,
    Duration delay,
    boolean reordered,
    int copies,
    int open,
    List<Attempt> attempts) {

  /** How it ended. */
  public enum Fate {
    /** Still to be sent, or to be tried again. */
    PENDING,
    /** At least one copy was answered 200. */
    DELIVERED,
    /** Every try of every copy failed. */
    FAILED,
    /** A fault swallowed it. */
    DROPPED,
    /** No webhook was registered, or not for this type. */
    UNWANTED,
    /** The circuit breaker was open. */
    SUPPRESSED
  }

  static Delivery pending(Envelope envelope, Duration delay, boolean reordered, int copies) {
    return new Delivery(envelope, Fate.PENDING, delay, reordered, copies, copies, List.of());
  }

  static Delivery dropped(Envelope envelope) {
    return new Delivery(envelope, Fate.DROPPED, Duration.ZERO, false, 0, 0, List.of());
  }

  public boolean settled() {
    return fate != Fate.PENDING;
  }

  Delivery attempted(Attempt attempt) {
    List<Attempt> more = new ArrayList<>(attempts);
    more.add(attempt);
    return new Delivery(envelope, fate, delay, reordered, copies, open, List.copyOf(more));
  }

  /** One copy came to this end; the last one settles the event. */
  Delivery copyEnded(Fate how) {
    int left = open - 1;
    boolean arrived = attempts.stream().anyMatch(Attempt::succeeded);
    Fate end = left > 0 ? Fate.PENDING : arrived ? Fate.DELIVERED : how;
    return new Delivery(envelope, end, delay, reordered, copies, left, attempts);
  }
}

package io.convoke.engine.durable.postgres;

import io.convoke.engine.wake.StoreClock;
import io.convoke.engine.wake.WakeChain;
import io.convoke.engine.wake.WakeChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongConsumer;

/**
 * Wakes the dispatchers of one queue of this node, or of one pool of the worker queue: its tokens,
 * its timers, and the watermark of its claims.
 */
final class QueueSignals {
  /** More receivers than can start at once gain nothing. */
  private static final int TOKENS_MAX = 256;

  private final StoreClock clock;
  private final Duration grace;
  private final LongConsumer timer;
  private final WakeChannel channel = new WakeChannel(TOKENS_MAX);
  private final WakeChain chain = new WakeChain(channel);
  private final ClaimWatermark watermark = new ClaimWatermark();

  /**
   * A queue without dispatchers.
   *
   * @param grace how early a claim may take an item
   * @param timer wakes a dispatcher at an instant of the monotonic clock
   */
  QueueSignals(StoreClock clock, Duration grace, LongConsumer timer) {
    this.clock = clock;
    this.grace = grace;
    this.timer = timer;
  }

  WakeChannel channel() {
    return channel;
  }

  WakeChain chain() {
    return chain;
  }

  ClaimWatermark watermark() {
    return watermark;
  }

  Duration grace() {
    return grace;
  }

  /**
   * Wakes a dispatcher at an instant of the monotonic clock, for an item that was claimed early.
   */
  void wakeAt(long due) {
    timer.accept(due);
  }

  /** An item is visible from an instant of the store on: a token now, or a timer for then. */
  void announce(Instant visibleAt) {
    announce(visibleAt, visibleAt);
  }

  /**
   * The same for an item that becomes visible between two instants: claims begin at the first, and
   * dispatchers query no earlier than the last.
   */
  void announce(Instant from, Instant to) {
    watermark.announce(from);
    next(to);
  }

  /** The same for an item that a scan found ahead of the watermark, which is left as it is. */
  void next(Instant visibleAt) {
    long early = clock.monotonic(visibleAt) - grace.toNanos();
    if (early - System.nanoTime() <= 0) {
      boolean _ = channel.announce();
    } else {
      timer.accept(early);
    }
  }

  /** Items may have been missed: the next claim reads the whole queue. */
  void pollAgain() {
    watermark.reset();
    boolean _ = channel.announce();
  }
}

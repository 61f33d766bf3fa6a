package io.convoke.engine.durable.postgres;

import io.convoke.engine.wake.StoreClock;
import io.convoke.engine.wake.WakeChain;
import io.convoke.engine.wake.WakeChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongConsumer;

/** How the dispatchers of one queue of this node are woken. */
final class QueueSignals {
  /** More receivers than can start at once gain nothing. */
  private static final int TOKENS_MAX = 256;

  private final StoreClock clock;
  private final Duration grace;
  private final LongConsumer timer;
  private final WakeChannel channel = new WakeChannel(TOKENS_MAX);
  private final WakeChain chain = new WakeChain(channel);
  private final ClaimWatermark claimWatermark = new ClaimWatermark();

  /**
   * A queue that nobody waits for yet.
   *
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

  ClaimWatermark floor() {
    return claimWatermark;
  }

  /** Something is visible from an instant of the store on: a token now, or a timer for then. */
  void announce(Instant visibleAt) {
    announce(visibleAt, visibleAt);
  }

  /**
   * The same for what is known to lie between two instants: claims begin at the first, and nobody
   * looks before the last, when it may not be there yet.
   */
  void announce(Instant from, Instant to) {
    claimWatermark.announce(from);
    next(to);
  }

  /** The same for what a survey saw ahead; claims get there by themselves. */
  void next(Instant visibleAt) {
    long early = clock.monotonic(visibleAt) - grace.toNanos();
    if (early - System.nanoTime() <= 0) {
      boolean _ = channel.announce();
    } else {
      timer.accept(early);
    }
  }

  /** Anything may have been missed. */
  void pollAgain() {
    claimWatermark.reset();
    boolean _ = channel.announce();
  }
}

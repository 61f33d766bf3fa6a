package io.convoke.engine.wake;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Lets many dispatchers share one queue without polling it (durable-5).
 *
 * <p>A dispatcher queries; when there is nothing it waits for a token. A dispatcher that was woken
 * and found work sends one token on, so a burst wakes as many dispatchers as it keeps busy and a
 * single item wakes at most two. A dispatcher that finds work without having been woken sends none:
 * under load no tokens are sent.
 *
 * <p>Where this differs from the seed:
 *
 * <ul>
 *   <li>A look that found nothing is remembered together with the number of tokens sent before it
 *       began. As long as no further token was sent no dispatcher queries again, so the wind-down
 *       of a burst costs one empty look in all, and 256 idle dispatchers cost what one costs.
 *   <li>A wait that ends without a token is not followed by a look. The owner of the timers sends a
 *       token for the fallback, once for all dispatchers.
 *   <li>A look that lost a race is no empty look: the token is sent on and the loser looks again
 *       after a short, random pause.
 *   <li>A look that failed sends its token on as well: a fault of the store consumes no wake-up.
 * </ul>
 *
 * <p>Nothing is lost as long as each piece of work is announced by a token after it became visible:
 * a look that began before saw fewer tokens sent, so what it did not find is looked for again.
 */
public final class WakeChain {
  private static final long NEVER = -1;
  private static final Duration CONTENTION_PAUSE_MAX = Duration.ofMillis(5);

  private final WakeTokens wakeTokens;
  private final LongConsumer park;
  private final AtomicLong pollCount = new AtomicLong();
  private volatile long emptyAt = NEVER;

  public WakeChain(WakeTokens wakeTokens) {
    this(wakeTokens, LockSupport::parkNanos);
  }

  WakeChain(WakeTokens wakeTokens, LongConsumer park) {
    this.wakeTokens = wakeTokens;
    this.park = park;
  }

  /**
   * Looks at once, and again for each token, until there is work or the time is over.
   *
   * @param look takes work if it can; called on the caller's thread, several callers at a time
   * @param atMost zero looks once at most and never waits
   */
  public <T> Optional<T> fetch(Supplier<PollResult<T>> look, Duration atMost)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    boolean woken = false;
    while (true) {
      if (!isKnownEmpty()) {
        switch (look(look)) {
          case PollResult.WorkFound<T> workFound -> {
            if (woken && workFound.more()) {
              boolean _ = wakeTokens.send();
            }
            return Optional.of(workFound.work());
          }
          case PollResult.WorkContended<T> _ -> {
            boolean _ = wakeTokens.send();
            pause(deadline);
          }
          case PollResult.NoWork<T> _ -> {}
        }
      }
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      if (!left.isPositive() || !wakeTokens.await(left)) {
        return Optional.empty();
      }
      woken = true;
    }
  }

  /** Whether a look found nothing and no work was announced since it began. */
  public boolean isKnownEmpty() {
    return emptyAt == wakeTokens.sent();
  }

  /** The number of tokens sent before the last look that found nothing. */
  long emptyAt() {
    return emptyAt;
  }

  /** Looks so far, those that found nothing included. */
  public long pollCount() {
    return pollCount.get();
  }

  private <T> PollResult<T> look(Supplier<PollResult<T>> look) {
    long before = wakeTokens.sent();
    long _ = pollCount.incrementAndGet();
    boolean looked = false;
    try {
      PollResult<T> pollResult = look.get();
      looked = true;
      if (pollResult instanceof PollResult.NoWork<T>) {
        emptyAt = before;
      }
      return pollResult;
    } finally {
      if (!looked) {
        boolean _ = wakeTokens.send();
      }
    }
  }

  private void pause(long deadline) {
    long most = Math.min(CONTENTION_PAUSE_MAX.toNanos(), deadline - System.nanoTime());
    if (most > 0) {
      park.accept(ThreadLocalRandom.current().nextLong(most / 4, most + 1));
    }
  }
}

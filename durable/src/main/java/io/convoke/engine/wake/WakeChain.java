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
 * <ul>
 *   <li>The chain remembers an empty poll with the number of tokens sent before it began. Until a
 *       further token is sent no dispatcher queries again, so the end of a burst costs one empty
 *       poll in all, and 256 idle dispatchers cost as much as one.
 *   <li>A wait that times out without a token is not followed by a poll. The owner of the timers
 *       sends a token for the fallback, once for all dispatchers.
 *   <li>A poll that lost a race is not empty: the dispatcher sends the token on and polls again
 *       after a short, random pause.
 *   <li>A poll that failed sends its token on as well: a fault of the store consumes no wake-up.
 * </ul>
 *
 * <p>No work is missed as long as each item is announced by a token after it became visible: a poll
 * that began earlier saw fewer tokens sent, so another poll follows it.
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
   * Polls at once, and again after each token, until it finds work or the time is over.
   *
   * @param poll claims work; called on the caller's thread, by several callers at a time
   * @param atMost zero polls once at most and never waits
   */
  public <T> Optional<T> fetch(Supplier<PollResult<T>> poll, Duration atMost)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    boolean woken = false;
    while (true) {
      if (!isKnownEmpty()) {
        switch (pollOnce(poll)) {
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

  /** Whether a poll found nothing and no token was sent since it began. */
  public boolean isKnownEmpty() {
    return emptyAt == wakeTokens.sent();
  }

  /** The number of tokens sent before the last empty poll. */
  long emptyAt() {
    return emptyAt;
  }

  /** Polls so far, including empty ones. */
  public long pollCount() {
    return pollCount.get();
  }

  private <T> PollResult<T> pollOnce(Supplier<PollResult<T>> poll) {
    long before = wakeTokens.sent();
    long _ = pollCount.incrementAndGet();
    boolean polled = false;
    try {
      PollResult<T> pollResult = poll.get();
      polled = true;
      if (pollResult instanceof PollResult.NoWork<T>) {
        emptyAt = before;
      }
      return pollResult;
    } finally {
      if (!polled) {
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

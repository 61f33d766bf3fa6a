package io.convoke.engine.durable.postgres;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * When to look whether another node has died, and when to tell the others that they had better.
 * Nodes look a few times a second as long as another holds locks, and not at all when none does. So
 * whoever locks what nobody was told of says so, once for everything within {@link #TELL}.
 *
 * <p>After each such word there is a look at {@link #LOOK} or later, and LOOK is the longer one: a
 * lock that was taken without a word, because one had just been said, is seen as well.
 */
final class NodeLivenessMonitor {
  static final Duration TELL = Duration.ofMillis(100);
  private static final Duration LOOK = Duration.ofMillis(200);

  /** Looks may cost this part of the time and no more, */
  static final int SHARE = 20;

  /** but a death is noticed within about a second however large the queues are. */
  private static final Duration MOST = Duration.ofSeconds(1);

  /** Asks for something after a while. */
  interface DelayedCall {
    void at(Duration wait);
  }

  private final DelayedCall look;
  private final DelayedCall tellAgain;
  private final Runnable tell;
  private final AtomicBoolean looks = new AtomicBoolean();
  private final AtomicBoolean looksAgain = new AtomicBoolean();
  private final AtomicBoolean told = new AtomicBoolean();
  private final AtomicBoolean unsaid = new AtomicBoolean();

  /**
   * Nothing to watch yet.
   *
   * @param look must lead to {@link #looking}
   * @param tellAgain must lead to {@link #allowNotification}
   * @param tell tells the others
   */
  NodeLivenessMonitor(DelayedCall look, DelayedCall tellAgain, Runnable tell) {
    this.look = look;
    this.tellAgain = tellAgain;
    this.tell = tell;
  }

  /** Another node holds something, or may: there is a look after LOOK, whatever was planned. */
  void onNotification() {
    if (looks.compareAndSet(false, true)) {
      look.at(LOOK);
    } else {
      looksAgain.set(true);
    }
  }

  /** The planned look begins. */
  void looking() {
    looks.set(false);
  }

  /** A look has ended; another one follows if others hold something or were heard meanwhile. */
  void onScanCompleted(Duration took, boolean othersHold) {
    boolean again = looksAgain.getAndSet(false);
    if ((othersHold || again) && looks.compareAndSet(false, true)) {
      long pause = Math.clamp(took.multipliedBy(SHARE).toNanos(), LOOK.toNanos(), MOST.toNanos());
      look.at(Duration.ofNanos(pause));
    }
  }

  /** This node holds something that the others were not told of. */
  void onLocksHeld() {
    while (true) {
      if (told.compareAndSet(false, true)) {
        tellAgain.at(TELL);
        tell.run();
        return;
      }
      unsaid.set(true);
      if (told.get()) {
        return;
      }
    }
  }

  void allowNotification() {
    told.set(false);
    if (unsaid.getAndSet(false)) {
      onLocksHeld();
    }
  }
}

package io.convoke.server.bots;

import io.convoke.server.bots.BotStore.LaunchClaim;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of a launch that is being made, renewed until it is closed: pulling an image may take
 * minutes, and another node, whose engine does not know the bot's name, would make a second bot.
 */
final class LaunchLease implements AutoCloseable {
  /** After this time without a renewal another node may make the launch. */
  static final Duration TERM = Duration.ofSeconds(30);

  /** Short, so that a store that is away for some seconds costs no lease. */
  private static final Duration RENEWAL_INTERVAL = Duration.ofSeconds(2);

  /** A younger claim is not renewed before its launch, which goes on while the store is away. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(LaunchLease.class);

  private final BotStore store;
  private final LaunchClaim launchClaim;
  private final CountDownLatch closed = new CountDownLatch(1);

  private LaunchLease(BotStore store, LaunchClaim launchClaim) {
    this.store = store;
    this.launchClaim = launchClaim;
  }

  /**
   * Renews a claim directly before its launch, unless it is fresh, and from then on; empty if it is
   * lost.
   *
   * @param claimedAt when it was made, by the monotonic clock
   * @throws io.convoke.engine.sql.StoreUnavailable when the store cannot say so
   */
  static Optional<LaunchLease> renew(BotStore store, LaunchClaim launchClaim, long claimedAt) {
    boolean fresh = System.nanoTime() - claimedAt < FRESH.toNanos();
    if (!fresh && !store.renewLaunch(launchClaim, TERM)) {
      return Optional.empty();
    }
    LaunchLease lease = new LaunchLease(store, launchClaim);
    Thread _ =
        Thread.ofVirtual()
            .name("launch-lease-" + launchClaim.row().id())
            .start(lease::renewUntilClosed);
    return Optional.of(lease);
  }

  /** Ends the renewals; the lease itself ends with its time. */
  @Override
  public void close() {
    closed.countDown();
  }

  private void renewUntilClosed() {
    try {
      boolean held = true;
      while (held && !closed.await(RENEWAL_INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
        held = renewed();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether the claim is not lost, as far as is known. */
  private boolean renewed() {
    try {
      return store.renewLaunch(launchClaim, TERM);
    } catch (RuntimeException e) {
      log.warn(
          "the lease of the launch of meeting {} is not renewed now: {}",
          launchClaim.row().id(),
          e.getMessage());
      return true;
    }
  }
}

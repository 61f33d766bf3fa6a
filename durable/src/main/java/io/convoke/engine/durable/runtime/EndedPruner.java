package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.CappedTime;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what ended longer ago than its retention, a few rows per transaction, from time to time.
 * Of the nodes of a schema one at a time deletes.
 */
final class EndedPruner implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EndedPruner.class);
  private static final int BATCH = 200;
  private static final Duration BETWEEN_BATCHES = Duration.ofMillis(50);
  private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
  private static final Duration PAUSE_MAX = Duration.ofMinutes(10);

  /** What has ended is deleted at most this part of the retention too late. */
  private static final int PARTS = 20;

  private final ProviderAdmin admin;
  private final Duration retention;
  private final long pauseMs;
  private final Waiter stop = new Waiter();
  private final BackgroundLoop loop;

  /** Starts in the background; the first deletion follows after a pause. */
  EndedPruner(ProviderAdmin admin, Duration retention) {
    this.admin = admin;
    this.retention = CappedTime.stored(retention);
    this.pauseMs =
        Math.clamp(
            this.retention.dividedBy(PARTS).toMillis(), PAUSE_MIN.toMillis(), PAUSE_MAX.toMillis());
    this.loop = BackgroundLoop.start("durable-pruner", this::pruneLater);
  }

  @Override
  public void close() {
    stop.close();
    loop.close();
  }

  private void pruneLater() throws InterruptedException {
    long pause = ThreadLocalRandom.current().nextLong(pauseMs / 2, pauseMs + 1);
    boolean open = stop.await(Duration.ofMillis(pause));
    try {
      while (open && admin.pruneEnded(retention, BATCH) >= BATCH) {
        open = stop.await(BETWEEN_BATCHES);
      }
    } catch (ProviderFailure e) {
      log.info("ended instances were not deleted, retrying later: {}", e.getMessage());
    }
  }
}

package io.convoke.server.sync;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds syncs that make no progress and reports each stall once: {@code sync.stalled} in the
 * journal. It sleeps until the first sync can have stalled; while none is in progress it waits to
 * be woken. Several nodes may do it at once.
 */
final class StallDetector implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StallDetector.class);
  private static final int BATCH = 200;
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** Between looks while nothing is in progress, for the case that no wake came. */
  private static final Duration IDLE = Duration.ofMinutes(5);

  private static final Duration STORE_RETRY = Duration.ofSeconds(5);

  private final Database database;
  private final Journal journal;
  private final SyncMetrics metrics;
  private final Duration stallAfter;
  private final Waiter waiter = new Waiter();
  private volatile boolean idle;

  StallDetector(Database database, Journal journal, SyncMetrics metrics, Duration stallAfter) {
    this.database = database;
    this.journal = journal;
    this.metrics = metrics;
    this.stallAfter = stallAfter;
  }

  void start() {
    var _ = Thread.ofVirtual().name("sync-stalls").start(this::run);
  }

  /** A sync moved; one in progress may stall some day. */
  void moved(SyncStatus to) {
    if (idle && to == SyncStatus.IN_PROGRESS) {
      idle = false;
      waiter.wake();
    }
  }

  @Override
  public void close() {
    waiter.close();
  }

  /** Looks once; answers when to look again. */
  Duration checkOnce() {
    idle = true;
    int told;
    do {
      told =
          database.transaction(
              tx -> {
                List<SyncRecord> stalled = SyncStore.markStalled(tx, stallAfter, BATCH);
                journal.append(tx, stalled.stream().map(SyncJournal::stalled).toList());
                return stalled.size();
              });
      metrics.noticed(told);
      if (told > 0) {
        log.warn("{} syncs have made no progress for {}", told, stallAfter);
      }
    } while (told == BATCH);
    Optional<Duration> next = database.read(tx -> SyncStore.untilNextStall(tx, stallAfter));
    idle = next.isEmpty();
    return next.map(wait -> wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait).orElse(IDLE);
  }

  private void run() {
    try {
      Duration wait;
      do {
        wait = attempt();
      } while (waiter.await(wait));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration attempt() {
    try {
      return checkOnce();
    } catch (StoreUnavailable | SqlFailure away) {
      log.info("Search for stalled syncs waits for the database: {}", away.getMessage());
    } catch (RuntimeException | Error bug) {
      log.error("Search for stalled syncs failed; retrying", bug);
    }
    return STORE_RETRY;
  }
}

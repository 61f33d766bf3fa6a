package io.convoke.server.sync;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.server.loop.PeriodicTask;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects stalled syncs and journals each stall once, as {@code sync.stalled}. It sleeps until the
 * earliest possible stall; while no sync is in progress it waits for a wake-up. Several nodes may
 * run it at once.
 */
final class StallDetector implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StallDetector.class);
  private static final int BATCH = 200;
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** Scan interval while no sync is in progress, in case a wake-up was lost. */
  private static final Duration IDLE = Duration.ofMinutes(5);

  private static final Duration STORE_RETRY = Duration.ofSeconds(5);

  private final Database database;
  private final Journal journal;
  private final SyncMetrics metrics;
  private final Duration stallAfter;
  private final PeriodicTask task = new PeriodicTask("sync-stalls", STORE_RETRY, this::checkOnce);
  private volatile boolean idle;

  StallDetector(Database database, Journal journal, SyncMetrics metrics, Duration stallAfter) {
    this.database = database;
    this.journal = journal;
    this.metrics = metrics;
    this.stallAfter = stallAfter;
  }

  void start() {
    task.start();
  }

  /**
   * Reports an update. A sync in progress schedules a scan if none is; a retry that waits for an
   * answer schedules one in any case, since it stalls before those whose jobs are at work.
   */
  void moved(SyncJournal.SyncJournalHead update) {
    if (update.status() == SyncStatus.IN_PROGRESS && (idle || update.unanswered())) {
      idle = false;
      task.wake();
    }
  }

  @Override
  public void close() {
    task.close();
  }

  /** Scans once; returns the wait until the next scan. */
  Duration checkOnce() {
    idle = true;
    int found;
    do {
      found =
          database.transaction(
              tx -> {
                List<SyncRecord> stalled = SyncStore.markStalled(tx, stallAfter, BATCH);
                journal.append(tx, stalled.stream().map(SyncJournal::stalled).toList());
                return stalled.size();
              });
      metrics.noticed(found);
      if (found > 0) {
        log.warn("{} syncs have made no progress for {}", found, stallAfter);
      }
    } while (found == BATCH);
    Optional<Duration> next = database.read(tx -> SyncStore.untilNextStall(tx, stallAfter));
    idle = next.isEmpty();
    return next.map(wait -> wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait).orElse(IDLE);
  }
}

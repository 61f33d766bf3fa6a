package io.convoke.server.bots;

import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives free places to bots that wait for one. Called where a place may have become free: at the
 * end of a bot, after a start that found none, and with each sweep for all else, for example a
 * raised limit. Ends of bots only leave a note for the thread of this queue: many at once are then
 * one look at each user.
 */
final class PlaceQueue implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PlaceQueue.class);
  private static final int USERS_MAX = 500;
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final BotStore store;
  private final AdmissionControl admissionControl;
  private final Waiter noted = new Waiter();

  /** Users with a free place, perhaps; empty stands for all. */
  private final Set<Optional<Long>> due = ConcurrentHashMap.newKeySet();

  private Optional<BackgroundLoop> loop = Optional.empty();

  PlaceQueue(BotStore store, AdmissionControl admissionControl) {
    this.store = store;
    this.admissionControl = admissionControl;
  }

  /** Starts the thread that does what {@link #advanceSoon} asks for. */
  synchronized void start() {
    loop = Optional.of(BackgroundLoop.start("bots-queue", this::turn));
  }

  @Override
  public synchronized void close() {
    loop.ifPresent(BackgroundLoop::close);
  }

  /** Has the thread of this queue {@link #advance}. */
  void advanceSoon(Optional<Long> userId) {
    if (due.add(userId)) {
      noted.wake();
    }
  }

  private void turn() throws InterruptedException {
    if (due.isEmpty()) {
      boolean _ = noted.await(WAIT);
    }
    for (Optional<Long> userId : Set.copyOf(due)) {
      // Before the look: a place that becomes free during it is another note.
      boolean _ = due.remove(userId);
      advance(userId);
    }
  }

  /**
   * Starts bots for which there is a place: those of one user, or of all. A failure is left to the
   * next sweep.
   */
  void advance(Optional<Long> userId) {
    try {
      store.queuing(userId, USERS_MAX).forEach(this::advance);
    } catch (StoreUnavailable e) {
      log.warn("the queue for places does not move now: {}", e.getMessage());
    }
  }

  private void advance(long userId) {
    List<BotRow> started = admissionControl.admitQueued(userId);
    if (!started.isEmpty()) {
      log.info("bots that waited for a place start, as meeting ids: {}", ids(started));
    }
  }

  private static List<Long> ids(List<BotRow> rows) {
    return rows.stream().map(BotRow::id).toList();
  }
}

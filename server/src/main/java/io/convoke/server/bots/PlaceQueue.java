package io.convoke.server.bots;

import io.convoke.engine.sql.StoreUnavailable;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives free places to bots that wait for one. Called where a place may have become free: at the
 * end of a bot, after a start that found none, and with each sweep for all else, for example a
 * raised limit.
 */
final class PlaceQueue {
  private static final Logger log = LoggerFactory.getLogger(PlaceQueue.class);
  private static final int USERS_MAX = 500;

  private final BotStore store;
  private final AdmissionControl admissionControl;

  PlaceQueue(BotStore store, AdmissionControl admissionControl) {
    this.store = store;
    this.admissionControl = admissionControl;
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

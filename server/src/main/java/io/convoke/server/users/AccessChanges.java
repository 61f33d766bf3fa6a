package io.convoke.server.users;

import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.PostgresListener.NotificationReceiver;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells all nodes that a user lost or regained access, by a notification of the transaction that
 * changes it. It makes them look again at once; a node that misses it does so when its caches
 * expire, so the bound of three seconds holds without it.
 */
final class AccessChanges implements NotificationReceiver {
  static final String CHANNEL = "convoke_access";
  private static final Logger log = LoggerFactory.getLogger(AccessChanges.class);

  private final Consumer<Optional<Long>> changed;

  /**
   * @param changed gets the user, or nothing if it may be any; must not block
   */
  AccessChanges(Consumer<Optional<Long>> changed) {
    this.changed = changed;
  }

  static void notify(Tx tx, List<Long> users) {
    List<Boolean> _ =
        tx.sql("select pg_notify(?, id::text) is null as sent from unnest(?) as users(id)")
            .with(CHANNEL, users.toArray(Long[]::new))
            .list(resultRow -> resultRow.booleanAt("sent"));
  }

  @Override
  public void notified(String payload) {
    try {
      changed.accept(Optional.of(Long.valueOf(payload)));
    } catch (NumberFormatException e) {
      log.warn("Notification on {} without a user: {}", CHANNEL, payload);
    }
  }

  @Override
  public void rescan() {
    changed.accept(Optional.empty());
  }
}

package io.convoke.engine.durable.postgres;

import io.convoke.engine.wake.Listener;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * This node as the others see it: the session that listens also holds an advisory lock on a number
 * that no other node ever has, and every lock token of the node begins with that number.
 *
 * <p>When the process dies its socket closes, the lock is gone at once, and whoever looks finds
 * that the tokens of this number have no holder. A session that broke for another reason ends the
 * number as well, and the next session draws a new one. Without a session the number is 0, which
 * nobody calls dead: then only the end of its locks frees what the node holds.
 */
final class Node implements Listener.Session {
  private final Names names;
  private final String unique = UUID.randomUUID().toString();
  private final AtomicLong claims = new AtomicLong();
  private final CountDownLatch joined = new CountDownLatch(1);
  private volatile int number;

  Node(Names names) {
    this.names = names;
  }

  /** A token for one claim; no other claim of any node has the same. */
  String token() {
    int mine = number;
    long claim = claims.incrementAndGet();
    return mine == 0 ? "0." + unique + "." + claim : mine + "." + claim;
  }

  /** 0 without a session. */
  int number() {
    return number;
  }

  /**
   * Waits for the first number, so that not even the first claim outlives this process unseen; or
   * until it is known that there is no session now.
   */
  void awaitNumber(Duration atMost) {
    try {
      boolean _ = joined.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void opened(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet drawn =
            statement.executeQuery("select nextval('" + names.quoted() + ".node_numbers')")) {
      boolean _ = drawn.next();
      int fetched = drawn.getInt(1);
      String lock = "select pg_advisory_lock(%d, %d)".formatted(names.lockClass(), fetched);
      try (Statement locking = connection.createStatement()) {
        boolean _ = locking.execute(lock);
      }
      number = fetched;
      joined.countDown();
    }
  }

  @Override
  public void lost() {
    number = 0;
    joined.countDown();
  }
}

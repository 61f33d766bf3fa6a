package io.convoke.engine.durable.postgres;

import io.convoke.engine.wake.PostgresListener;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node as the others see it: the session that listens also holds an advisory lock on a number
 * that no other node ever has, and every lock token of the node begins with that number.
 *
 * <p>When the process dies its socket closes, the lock is gone at once, and other nodes find that
 * the tokens of this number have no holder. A session that broke for another reason is replaced by
 * one that takes the same number again, before other nodes call it dead: the lock is a shared one,
 * so the next session need not wait until Postgres has noticed the end of the last.
 *
 * <p>Without a session the number is 0, which no node calls dead: what is claimed then is freed by
 * the end of its locks alone. So it is behind a pooler, whose connections outlive the node.
 */
final class NodeIdentity implements PostgresListener.ListenerSession {
  private static final Logger log = LoggerFactory.getLogger(NodeIdentity.class);

  private final SchemaNames schemaNames;
  private final String unique = UUID.randomUUID().toString();
  private final AtomicLong claims = new AtomicLong();
  private final CountDownLatch joined = new CountDownLatch(1);
  private volatile int number;
  private volatile int drawn;
  private boolean pooled;

  NodeIdentity(SchemaNames schemaNames) {
    this.schemaNames = schemaNames;
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

  /** Whether a number is this node's, with a session or without one. */
  boolean owns(int holder) {
    return holder == drawn;
  }

  /** Whether it has had a session. */
  boolean hasJoined() {
    return drawn != 0;
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
    try (Statement statement = connection.createStatement()) {
      if (isPooled(connection, statement)) {
        joined.countDown();
        return;
      }
      if (drawn == 0) {
        drawn = draw(statement);
      } else {
        call(statement, "pg_advisory_lock_shared", drawn);
      }
      number = drawn;
      joined.countDown();
    }
  }

  @Override
  public void lost() {
    number = 0;
    joined.countDown();
  }

  /** A fresh number, under a shared lock; one that is locked already belongs to another node. */
  private int draw(Statement statement) throws SQLException {
    while (true) {
      int fetched = first(statement, "select nextval('" + schemaNames.quoted() + ".node_numbers')");
      if (first(
              statement,
              "select pg_try_advisory_lock(%d, %d)::integer"
                  .formatted(schemaNames.lockClass(), fetched))
          == 1) {
        call(statement, "pg_advisory_lock_shared", fetched);
        call(statement, "pg_advisory_unlock", fetched);
        return fetched;
      }
    }
  }

  /**
   * Whether the process that answers is another one than Postgres named when the connection was
   * made. A lock taken through a pooler belongs to a connection of the pooler and says nothing of
   * this node.
   */
  private boolean isPooled(Connection connection, Statement statement) throws SQLException {
    int named = connection.unwrap(PGConnection.class).getBackendPID();
    boolean other = first(statement, "select pg_backend_pid()") != named;
    if (other && !pooled) {
      log.warn(
          "the connection for LISTEN goes through a pooler: work of a node that dies is taken over"
              + " when its locks end; give the engine a direct address for listening");
    }
    pooled = other;
    return other;
  }

  private void call(Statement statement, String function, int on) throws SQLException {
    boolean _ =
        statement.execute("select %s(%d, %d)".formatted(function, schemaNames.lockClass(), on));
  }

  private static int first(Statement statement, String query) throws SQLException {
    try (ResultSet answer = statement.executeQuery(query)) {
      boolean _ = answer.next();
      return answer.getInt(1);
    }
  }
}

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
 * The identity of this node: its LISTEN session holds an advisory lock on a unique number, and
 * every lock token of the node begins with that number.
 *
 * <p>When the process dies its socket closes, Postgres releases the lock at once, and other nodes
 * find that the tokens of this number have no live session. A session that broke for another reason
 * is replaced by one that locks the same number, before other nodes consider it dead: the lock is
 * shared, so the new session need not wait until Postgres has ended the old one.
 *
 * <p>Without a session the number is 0, which no node considers dead: such claims are freed only
 * when their locks expire. The same holds behind a pooler, whose connections outlive the node.
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

  /** The number of this node, or 0 without a session. */
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
   * Waits for the first number, so that other nodes can detect the loss of even the first claim; or
   * until the session turns out to be unavailable.
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

  /**
   * Draws a new number under a shared lock; a number that is already locked belongs to another
   * node.
   */
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
   * Whether the backend process differs from the one that Postgres named when the connection was
   * opened. A lock taken through a pooler belongs to the pooler's connection, not to this node.
   */
  private boolean isPooled(Connection connection, Statement statement) throws SQLException {
    int named = connection.unwrap(PGConnection.class).getBackendPID();
    boolean other = first(statement, "select pg_backend_pid()") != named;
    if (other && !pooled) {
      log.warn(
          "LISTEN goes through a pooler: work of a dead node is taken over only"
              + " when its locks expire; configure a direct listen address");
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

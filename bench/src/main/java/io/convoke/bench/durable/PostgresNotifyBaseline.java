package io.convoke.bench.durable;

import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.PostgresListener;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * What Postgres itself takes from one process to another: a row and its NOTIFY in one statement
 * that commits, and a listener that does nothing else. Nothing is claimed, so no queue that waits
 * for its commit can be faster.
 */
final class PostgresNotifyBaseline implements JavaQueueLibrary {
  static final String NAME = "bare NOTIFY";

  private static final String CHANNEL = "bare";

  private final DatabaseUrl url;
  private final CandidateConnectionPool candidateConnectionPool;
  private final Connection writing;
  private final PreparedStatement put;

  PostgresNotifyBaseline(String url) throws SQLException {
    this.url = DatabaseUrl.parse(url);
    this.candidateConnectionPool = new CandidateConnectionPool(url);
    candidateConnectionPool.run(
        """
        create table if not exists bare
          (id bigint generated always as identity primary key, payload text not null)
        """);
    this.writing = candidateConnectionPool.connection();
    this.put =
        writing.prepareStatement(
            """
            with added as (insert into bare (payload) values (?) returning payload)
            select pg_notify('bare', payload) from added
            """);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int most() {
    return 1;
  }

  @Override
  public void put(String payload) throws SQLException {
    put.setString(1, payload);
    boolean _ = put.execute();
  }

  @Override
  public QueueWorkers workers(int count, Consumer<String> begun) {
    PostgresListener postgresListener =
        new PostgresListener(
            url,
            Map.of(
                CHANNEL,
                new PostgresListener.NotificationReceiver() {
                  @Override
                  public void notified(String payload) {
                    begun.accept(payload);
                  }

                  @Override
                  public void rescan() {}
                }));
    while (!postgresListener.listening()) {
      LockSupport.parkNanos(LOOK.toNanos());
    }
    return postgresListener::close;
  }

  @Override
  public long queued() throws SQLException {
    return candidateConnectionPool.count("select count(*) from bare");
  }

  @Override
  public void clear() throws SQLException {
    candidateConnectionPool.run("truncate bare");
  }

  @Override
  public void close() {
    candidateConnectionPool.close();
  }
}

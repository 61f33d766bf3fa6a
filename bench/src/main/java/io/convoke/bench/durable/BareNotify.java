package io.convoke.bench.durable;

import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.Listener;
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
final class BareNotify implements Library {
  static final String NAME = "bare NOTIFY";

  private static final String CHANNEL = "bare";

  private final DatabaseUrl url;
  private final Pool pool;
  private final Connection writing;
  private final PreparedStatement put;

  BareNotify(String url) throws SQLException {
    this.url = DatabaseUrl.parse(url);
    this.pool = new Pool(url);
    pool.run(
        """
        create table if not exists bare
          (id bigint generated always as identity primary key, payload text not null)
        """);
    this.writing = pool.connection();
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
  public Workers workers(int count, Consumer<String> begun) {
    Listener listener =
        new Listener(
            url,
            Map.of(
                CHANNEL,
                new Listener.Receiver() {
                  @Override
                  public void notified(String payload) {
                    begun.accept(payload);
                  }

                  @Override
                  public void rescan() {}
                }));
    while (!listener.listening()) {
      LockSupport.parkNanos(LOOK.toNanos());
    }
    return listener::close;
  }

  @Override
  public long queued() throws SQLException {
    return pool.count("select count(*) from bare");
  }

  @Override
  public void clear() throws SQLException {
    pool.run("truncate bare");
  }

  @Override
  public void close() {
    pool.close();
  }
}

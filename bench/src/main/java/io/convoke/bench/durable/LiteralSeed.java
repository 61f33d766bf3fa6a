package io.convoke.bench.durable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.convoke.engine.sql.DatabaseUrl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Seed 002 to the letter: one row for each insert, fetch and ack, and a trigger for each row. */
final class LiteralSeed implements Contender {
  private static final int CONNECTIONS = 16;

  private final HikariDataSource pool;

  LiteralSeed(DatabaseUrl url) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url.jdbc());
    config.setUsername(url.user());
    config.setPassword(url.password());
    config.setMaximumPoolSize(CONNECTIONS);
    config.addDataSourceProperty("prepareThreshold", "1");
    this.pool = new HikariDataSource(config);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      boolean _ =
          statement.execute(
              """
              create table worker_queue (
                id bigserial primary key, instance_id text not null, work_item text not null,
                visible_at timestamptz not null default now(), lock_token text,
                locked_until timestamptz, attempt_count integer not null default 0,
                created_at timestamptz not null default now());
              create index on worker_queue (visible_at, lock_token);
              create function notify_worker_work() returns trigger language plpgsql as $$
                begin
                  perform pg_notify('seed_worker_work', '');
                  return new;
                end $$;
              create trigger trg_worker_notify after insert on worker_queue
                for each row execute function notify_worker_work();
              """);
    }
  }

  @Override
  public String name() {
    return "seed 002";
  }

  @Override
  public long enqueue(int callers, Duration span) throws Exception {
    return Callers.run(
        callers,
        span,
        caller -> {
          try (Connection connection = pool.getConnection();
              PreparedStatement insert =
                  connection.prepareStatement(
                      "insert into worker_queue (instance_id, work_item) values (?, ?)")) {
            insert.setString(1, "instance-" + caller);
            insert.setString(2, Convoke.PAYLOAD);
            int _ = insert.executeUpdate();
          }
        });
  }

  @Override
  public long work() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> dispatchers = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        dispatchers.add(threads.submit(this::workOff));
      }
      long done = 0;
      for (Future<Long> dispatcher : dispatchers) {
        done += dispatcher.get();
      }
      return done;
    }
  }

  private long workOff() throws SQLException {
    long done = 0;
    try (Connection connection = pool.getConnection();
        PreparedStatement fetch =
            connection.prepareStatement(
                """
                update worker_queue set lock_token = ?, attempt_count = attempt_count + 1,
                  locked_until = now() + interval '30 seconds'
                where id = (
                  select id from worker_queue
                  where visible_at <= now() and (lock_token is null or locked_until <= now())
                  order by id limit 1 for update skip locked)
                returning id
                """);
        PreparedStatement ack =
            connection.prepareStatement("delete from worker_queue where lock_token = ?")) {
      while (true) {
        String token = UUID.randomUUID().toString();
        fetch.setString(1, token);
        try (ResultSet row = fetch.executeQuery()) {
          if (!row.next()) {
            return done;
          }
        }
        ack.setString(1, token);
        int _ = ack.executeUpdate();
        done++;
      }
    }
  }

  @Override
  public long queued() throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*) from worker_queue")) {
      boolean _ = row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}

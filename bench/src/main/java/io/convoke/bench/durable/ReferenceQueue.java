package io.convoke.bench.durable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The reference provider: one row for each insert, fetch and ack, and a trigger for each row. */
final class ReferenceQueue implements QueueCandidate {
  private static final int CONNECTIONS = 16;

  private final CandidateConnectionPool candidateConnectionPool;

  ReferenceQueue(String url) throws SQLException {
    this.candidateConnectionPool = new CandidateConnectionPool(url);
    candidateConnectionPool.run(
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

  @Override
  public String name() {
    return "seed 002";
  }

  @Override
  public QueuedItems enqueue(int callers, Duration span) throws Exception {
    long begun = System.nanoTime();
    long calls =
        ConcurrentCallers.run(
            callers,
            span,
            caller -> {
              try (Connection connection = candidateConnectionPool.connection();
                  PreparedStatement insert =
                      connection.prepareStatement(
                          "insert into worker_queue (instance_id, work_item) values (?, ?)")) {
                insert.setString(1, "instance-" + caller);
                insert.setString(2, ConvokeQueue.PAYLOAD);
                int _ = insert.executeUpdate();
              }
            });
    return QueuedItems.since(begun, calls);
  }

  @Override
  public QueueTurn work(Duration atMost) throws Exception {
    long end = System.nanoTime() + atMost.toNanos();
    long begun = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> dispatchers = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        dispatchers.add(threads.submit(() -> workOff(end)));
      }
      long done = 0;
      for (Future<Long> dispatcher : dispatchers) {
        done += dispatcher.get();
      }
      return new QueueTurn(done, 0, Duration.ofNanos(System.nanoTime() - begun));
    }
  }

  private long workOff(long end) throws SQLException {
    long done = 0;
    try (Connection connection = candidateConnectionPool.connection();
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
      while (System.nanoTime() < end) {
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
      return done;
    }
  }

  @Override
  public long queued() throws SQLException {
    return candidateConnectionPool.count("select count(*) from worker_queue");
  }

  @Override
  public void clear() throws SQLException {
    candidateConnectionPool.run("truncate worker_queue");
  }

  @Override
  public void close() {
    candidateConnectionPool.close();
  }
}

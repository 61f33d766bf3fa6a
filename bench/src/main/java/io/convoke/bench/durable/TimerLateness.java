package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.process.WatchedProcess;
import io.convoke.bench.report.CountTable;
import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * How late timers are while a million others wait, other items come and go, and the node is killed
 * and started again in the middle. What was due while it was down is not late by its fault and is
 * counted apart.
 */
final class TimerLateness {
  private static final int PENDING = 1_000_000;
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration LEAD = Duration.ofSeconds(5);
  private static final Duration BETWEEN = Duration.ofMillis(20);
  private static final Duration NOISE = Duration.ofMillis(5);
  private static final Duration LAST = Duration.ofSeconds(5);

  private TimerLateness() {}

  /**
   * All that was seen; times in milliseconds.
   *
   * @param down timers that became due while the node was down
   * @param p99 of the lateness of all others
   * @param worst of the same
   * @param catchingUp from the restarted node's readiness until the last of {@code down} had begun
   * @param worstElse of all that did not become due while the node caught up
   */
  record TimerLatenessResult(
      long pending,
      long due,
      long fired,
      long down,
      double p99,
      double worst,
      double catchingUp,
      double worstElse,
      double least) {
    CountTable counts() {
      return new CountTable(
          "timers",
          List.of(
              "pending",
              "due",
              "fired",
              "while down",
              "late p99 ms",
              "worst ms",
              "catching up ms",
              "worst else ms"),
          List.of(
              CountTable.CountRow.of(
                  ConvokeQueue.NAME,
                  pending,
                  due,
                  fired,
                  down,
                  p99,
                  worst,
                  catchingUp,
                  worstElse)));
    }
  }

  /** A timer that fired; microseconds. */
  private record FiredTimer(long due, long late) {
    static FiredTimer of(String line) {
      String[] words = line.split(" ", -1);
      return new FiredTimer(Long.parseLong(words[0]), Long.parseLong(words[1]));
    }

    long at() {
      return due + late;
    }
  }

  static TimerLatenessResult measure(LocalStores localStores, BenchSettings settings)
      throws Exception {
    boolean quick = settings.rounds() < 3;
    long pending = quick ? PENDING / 1000 : PENDING;
    Duration span = quick ? settings.span().multipliedBy(10) : LONG;
    Duration lead = quick ? Duration.ofSeconds(3) : LEAD;
    String url = DurableBenchmark.fresh(localStores, "timers");
    AtomicBoolean ended = new AtomicBoolean();
    try (ConvokeQueue outside = new ConvokeQueue(url);
        Connection connection = localStores.postgres().connect("bench_timers")) {
      wait(connection, pending);
      List<String> said = new ArrayList<>();
      WatchedProcess node = start(url);
      try {
        long due = due(connection, lead, span);
        Instant begun = Instant.now().plus(lead);
        Thread noise = Thread.ofVirtual().start(() -> noise(outside, ended));
        until(begun.plus(span.dividedBy(2)));
        long killed = TimerWorkerProcess.micros(Instant.now());
        node.kill();
        said.addAll(node.lines());
        node = start(url);
        long back = TimerWorkerProcess.micros(Instant.now());
        until(begun.plus(span).plus(LAST));
        ended.set(true);
        noise.join();
        said.addAll(node.lines());
        return outcome(pending, due, said, killed, back);
      } finally {
        ended.set(true);
        node.close();
      }
    }
  }

  private static WatchedProcess start(String url) throws Exception {
    return new WatchedProcess(LibraryWorkerProcess.start(TimerWorkerProcess.class, url));
  }

  static TimerLatenessResult outcome(
      long pending, long due, List<String> said, long killed, long back) {
    Collection<FiredTimer> all = first(said);
    Predicate<FiredTimer> down = timer -> timer.due >= killed && timer.due <= back;
    List<FiredTimer> up = all.stream().filter(down.negate()).toList();
    long caughtUp = all.stream().filter(down).mapToLong(FiredTimer::at).max().orElse(back);
    Predicate<FiredTimer> catchingUp = timer -> timer.due > back && timer.due <= caughtUp;
    long[] late = up.stream().mapToLong(FiredTimer::late).sorted().toArray();
    long[] elsewhere =
        up.stream().filter(catchingUp.negate()).mapToLong(FiredTimer::late).sorted().toArray();
    if (elsewhere.length == 0) {
      throw new IllegalStateException("no timer fired");
    }
    return new TimerLatenessResult(
        pending,
        due,
        all.size(),
        all.size() - up.size(),
        late[late.length * 99 / 100] / 1e3,
        late[late.length - 1] / 1e3,
        Math.max(0, caughtUp - back) / 1e3,
        elsewhere[elsewhere.length - 1] / 1e3,
        late[0] / 1e3);
  }

  /** Each timer once: one that was begun before the kill and not done is begun again afterwards. */
  private static Collection<FiredTimer> first(List<String> said) {
    Map<Long, FiredTimer> first = new HashMap<>();
    for (String line : said) {
      FiredTimer timer = FiredTimer.of(line);
      FiredTimer _ =
          first.merge(timer.due, timer, (one, other) -> one.late <= other.late ? one : other);
    }
    return first.values();
  }

  private static void wait(Connection connection, long pending) throws Exception {
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            insert into durable.worker_queue (instance_id, pool, work_item, visible_at)
            select 'waiting', ?, '{"input": "waiting"}',
                   now() + interval '1 hour' + n * interval '10 milliseconds'
            from generate_series(1, ?) n
            """)) {
      insert.setString(1, ConvokeQueue.POOL);
      insert.setLong(2, pending);
      int _ = insert.executeUpdate();
    }
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute("vacuum analyze durable.worker_queue");
    }
  }

  private static long due(Connection connection, Duration lead, Duration span) throws Exception {
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            insert into durable.worker_queue (instance_id, pool, work_item, visible_at)
            select 'due', ?,
                   '{"input": "due ' || (extract(epoch from at) * 1000000)::bigint || '"}', at
            from (
              select now() + ? * interval '1 millisecond' + n * ? * interval '1 millisecond' as at
              from generate_series(1, ?) n) due
            """)) {
      insert.setString(1, ConvokeQueue.POOL);
      insert.setLong(2, lead.toMillis());
      insert.setLong(3, BETWEEN.toMillis());
      insert.setLong(4, span.dividedBy(BETWEEN));
      return insert.executeUpdate();
    }
  }

  private static void noise(ConvokeQueue outside, AtomicBoolean ended) {
    while (!ended.get()) {
      outside.put("something else");
      LockSupport.parkNanos(NOISE.toNanos());
    }
  }

  private static void until(Instant time) {
    long nanos = Duration.between(Instant.now(), time).toNanos();
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}

package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.lab.stores.Stores;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Items queued and worked off at the same time, alone and while another session holds a transaction
 * open for the whole turn: what it could still see cannot be vacuumed away. The backlog is bounded.
 */
final class HeldTransaction {
  static final String CLEAN = "alone";
  static final String HELD = "one held open";

  private static final int CALLERS = 64;
  private static final int BACKLOG_MAX = 5_000;
  private static final Duration ALONE = Duration.ofMinutes(2);
  private static final Duration OPEN = Duration.ofMinutes(10);

  private HeldTransaction() {}

  static Table measure(Stores stores, BenchSettings settings) throws Exception {
    boolean slice = settings.rounds() < 3;
    Duration warmUp = settings.warmUp();
    Sample clean = turn(stores, "clean", false, warmUp, slice ? settings.span() : ALONE);
    Sample held = turn(stores, "held", true, warmUp, slice ? settings.span() : OPEN);
    return new Table(
        "beside a transaction",
        List.of(new Series(CLEAN, List.of(clean)), new Series(HELD, List.of(held))));
  }

  private static Sample turn(
      Stores stores, String database, boolean held, Duration warmUp, Duration span)
      throws Exception {
    String url = DurableBenchmark.fresh(stores, database);
    try (Convoke convoke = new Convoke(url);
        Connection other = stores.postgres().connect("bench_" + database)) {
      Sample _ = stream(convoke, warmUp);
      if (held) {
        other.setAutoCommit(false);
        other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = other.createStatement()) {
          boolean _ = statement.execute("select pg_current_xact_id()");
        }
      }
      return stream(convoke, span);
    }
  }

  private static Sample stream(Convoke convoke, Duration span) throws Exception {
    AtomicLong put = new AtomicLong();
    AtomicLong begun = new AtomicLong();
    long start = System.nanoTime();
    try (Workers _ = convoke.workers(convoke.most(), payload -> begun.incrementAndGet())) {
      long _ =
          Callers.run(
              CALLERS,
              span,
              caller -> {
                while (put.get() - begun.get() > BACKLOG_MAX) {
                  LockSupport.parkNanos(1_000_000);
                }
                convoke.put(Convoke.PAYLOAD);
                long _ = put.incrementAndGet();
              });
      // Counting rows steps over every dead one, so the table is asked only when all have begun.
      while (begun.get() < put.get() || convoke.queued() > 0) {
        LockSupport.parkNanos(1_000_000);
      }
    }
    return DurableBenchmark.sample(put.get(), put.get() - begun.get(), System.nanoTime() - start);
  }
}

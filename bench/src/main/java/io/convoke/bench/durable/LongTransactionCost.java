package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Items queued and processed concurrently, alone and while another session holds a transaction open
 * for the whole turn, so that rows visible to it cannot be vacuumed. The backlog is bounded.
 */
final class LongTransactionCost {
  static final String CLEAN = "alone";
  static final String HELD = "one held open";

  private static final int CALLERS = 64;
  private static final int BACKLOG_MAX = 5_000;
  private static final Duration ALONE = Duration.ofMinutes(2);
  private static final Duration OPEN = Duration.ofMinutes(10);

  private LongTransactionCost() {}

  static RateTable measure(LocalStores localStores, BenchSettings settings) throws Exception {
    boolean slice = settings.rounds() < 3;
    Duration warmUp = settings.warmUp();
    MeasuredSample clean =
        turn(localStores, "clean", false, warmUp, slice ? settings.span() : ALONE);
    MeasuredSample held = turn(localStores, "held", true, warmUp, slice ? settings.span() : OPEN);
    return new RateTable(
        "beside a transaction",
        List.of(
            new CandidateSeries(CLEAN, List.of(clean)), new CandidateSeries(HELD, List.of(held))));
  }

  private static MeasuredSample turn(
      LocalStores localStores, String database, boolean held, Duration warmUp, Duration span)
      throws Exception {
    String url = DurableBenchmark.fresh(localStores, database);
    try (ConvokeQueue convokeQueue = new ConvokeQueue(url);
        Connection other = localStores.postgres().connect("bench_" + database)) {
      MeasuredSample _ = stream(convokeQueue, warmUp);
      if (held) {
        other.setAutoCommit(false);
        other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = other.createStatement()) {
          boolean _ = statement.execute("select pg_current_xact_id()");
        }
      }
      return stream(convokeQueue, span);
    }
  }

  private static MeasuredSample stream(ConvokeQueue convokeQueue, Duration span) throws Exception {
    AtomicLong put = new AtomicLong();
    AtomicLong begun = new AtomicLong();
    long start = System.nanoTime();
    try (QueueWorkers _ =
        convokeQueue.workers(convokeQueue.most(), payload -> begun.incrementAndGet())) {
      long _ =
          ConcurrentCallers.run(
              CALLERS,
              span,
              caller -> {
                while (put.get() - begun.get() > BACKLOG_MAX) {
                  LockSupport.parkNanos(1_000_000);
                }
                convokeQueue.put(ConvokeQueue.PAYLOAD);
                long _ = put.incrementAndGet();
              });
      // A count scans every dead row, so it runs only after all items have begun.
      while (begun.get() < put.get() || convokeQueue.queued() > 0) {
        LockSupport.parkNanos(1_000_000);
      }
    }
    return DurableBenchmark.sample(put.get(), put.get() - begun.get(), System.nanoTime() - start);
  }
}

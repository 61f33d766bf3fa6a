package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.Progress;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.MachineDescription;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import io.convoke.simulator.process.TempFolder;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The durable engine beside pgbench, the reference provider and, where installed, other libraries.
 */
public final class DurableBenchmark implements Benchmark {
  private static final int CALLERS = 64;
  private static final int LONGEST = 4;

  /** Memory for all data, so that disk reads are not measured. */
  private static final List<String> SERVER =
      List.of(
          "shared_preload_libraries=pg_stat_statements",
          "shared_buffers=512MB",
          "max_wal_size=4GB",
          "max_connections=400");

  @Override
  public String name() {
    return "durable";
  }

  @Override
  public String summary() {
    return "durable enqueues and work, latency between processes, idle statements, beside others";
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    boolean quick = settings.rounds() < 3;
    try (TempFolder tempFolder = TempFolder.open("convoke-bench");
        LocalStores localStores = LocalStores.open(tempFolder.folder(), SERVER)) {
      progress.report(
          "machine  "
              + MachineDescription.ofThis()
                  .with("PostgreSQL " + localStores.postgres().version())
                  .line()
              + ", fsync on");
      List<NodeQueueCandidate.NodeQueueKind> nodes =
          quick
              ? NodeQueueCandidates.skipped(progress, "a quick slice")
              : NodeQueueCandidates.find(progress);
      List<RateTable> tables = new ArrayList<>();
      DurableGoals durableGoals = new DurableGoals();
      throughput(localStores, tempFolder.folder(), nodes, settings, progress, tables);
      DurableGoals _ = durableGoals.enqueue(tables.getFirst()).work(tables.getLast());
      RateTable listeners =
          said(progress, "listeners", ListenerCost.measure(localStores, settings));
      RateTable latency =
          said(progress, "latency", QueueLatency.measure(localStores, nodes, settings));
      CountTable idle = said(progress, "idle", IdleNodeCost.measure(localStores, nodes, settings));
      RateTable held =
          said(progress, "held transaction", LongTransactionCost.measure(localStores, settings));
      TimerLateness.TimerLatenessResult timers =
          said(progress, "timers", TimerLateness.measure(localStores, settings));
      RateTable flows =
          said(progress, "workflows", WorkflowThroughput.measure(localStores, settings));
      DurableGoals _ =
          durableGoals
              .listeners(listeners)
              .latency(latency)
              .idle(idle)
              .held(held)
              .timers(timers)
              .workflows(flows);
      tables.addAll(List.of(listeners, latency, held, flows));
      return new BenchmarkReport(
          name(),
          "items queued durably, and done",
          tables,
          List.of(idle, timers.counts()),
          List.of(
              "every acked item is in the table, and what left it was begun",
              "no timer fired before its time, and none was lost over the restart"),
          durableGoals.all(),
          wrong(tables, timers));
    }
  }

  private static <T> T said(Progress progress, String what, T measured) {
    progress.report(what + " measured");
    return measured;
  }

  private static void throughput(
      LocalStores localStores,
      Path folder,
      List<NodeQueueCandidate.NodeQueueKind> nodes,
      BenchSettings settings,
      Progress progress,
      List<RateTable> tables)
      throws Exception {
    List<QueueCandidate> contenders = new ArrayList<>();
    try {
      contenders(contenders, localStores, folder, nodes, settings);
      for (QueueCandidate queueCandidate : contenders) {
        QueuedItems _ = queueCandidate.enqueue(CALLERS, settings.warmUp().dividedBy(2));
        QueueTurn _ = queueCandidate.work(settings.warmUp());
      }
      tables.add(new RateTable(CALLERS + " callers enqueue", enqueues(contenders, settings)));
      progress.report("enqueues measured");
      tables.add(new RateTable("no-op work, acked", works(contenders, settings)));
      progress.report("work measured");
    } finally {
      for (QueueCandidate queueCandidate : contenders) {
        queueCandidate.close();
      }
    }
  }

  private static void contenders(
      List<QueueCandidate> contenders,
      LocalStores localStores,
      Path folder,
      List<NodeQueueCandidate.NodeQueueKind> nodes,
      BenchSettings settings)
      throws Exception {
    Optional<QueueCandidate> pgbench = PgBench.find(fresh(localStores, PgBench.NAME), folder);
    pgbench.ifPresent(contenders::add);
    contenders.add(new ReferenceQueue(fresh(localStores, "seed")));
    for (NodeQueueCandidate.NodeQueueKind nodeQueueKind : nodes) {
      contenders.add(nodeQueueKind.open(fresh(localStores, nodeQueueKind.shown())));
    }
    for (String name : JavaQueueLibraries.of(settings)) {
      contenders.add(JavaQueueLibraries.open(name, fresh(localStores, name)));
    }
  }

  /** Creates a database for one candidate on the shared server. */
  static String fresh(LocalStores localStores, String name) {
    String database = "bench_" + name.toLowerCase(Locale.ROOT).replace('-', '_');
    localStores.postgres().createDatabase(database, "template1");
    return localStores.postgres().url(database);
  }

  private static List<CandidateSeries> enqueues(
      List<QueueCandidate> contenders, BenchSettings settings) throws Exception {
    return InterleavedRounds.interleaved(
        settings.rounds(),
        contenders,
        QueueCandidate::name,
        (queueCandidate, round) -> {
          queueCandidate.clear();
          QueuedItems queued = queueCandidate.enqueue(CALLERS, settings.span());
          long rows = queueCandidate.queued();
          return sample(rows, Math.abs(queued.items() - rows), queued.span().toNanos());
        });
  }

  /**
   * pgbench does no work: it is left out. A candidate that takes very long is stopped and its count
   * so far is used.
   */
  private static List<CandidateSeries> works(
      List<QueueCandidate> contenders, BenchSettings settings) throws Exception {
    return InterleavedRounds.interleaved(
        settings.rounds(),
        contenders.stream().filter(queueCandidate -> !(queueCandidate instanceof PgBench)).toList(),
        QueueCandidate::name,
        (queueCandidate, round) -> {
          queueCandidate.clear();
          long calls = queueCandidate.enqueue(CALLERS, settings.span()).items();
          long queued = queueCandidate.queued();
          QueueTurn queueTurn = queueCandidate.work(settings.span().multipliedBy(LONGEST));
          return sample(
              queueTurn.items(),
              Math.abs(calls - queued) + queueTurn.unbegun(),
              queueTurn.span().toNanos());
        });
  }

  static MeasuredSample sample(long operations, long failures, long nanos) {
    return new MeasuredSample(operations, failures, Duration.ofNanos(nanos));
  }

  static List<String> wrong(List<RateTable> tables, TimerLateness.TimerLatenessResult timers) {
    List<String> wrong = new ArrayList<>();
    for (RateTable rateTable : tables) {
      for (CandidateSeries candidateSeries : rateTable.series()) {
        if (candidateSeries.most(measuredSample -> Math.abs(measuredSample.failures())) != 0) {
          wrong.add(candidateSeries.candidate() + " miscounted in '" + rateTable.title() + "'");
        }
        if (candidateSeries.least(MeasuredSample::operations) == 0) {
          wrong.add(candidateSeries.candidate() + " did nothing in '" + rateTable.title() + "'");
        }
      }
    }
    if (timers.fired() < timers.due()) {
      wrong.add((timers.due() - timers.fired()) + " timers never fired");
    }
    if (timers.least() < 0) {
      wrong.add("a timer fired " + -timers.least() + " ms before its time");
    }
    return wrong;
  }
}

package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.Rounds;
import io.convoke.bench.report.Counts;
import io.convoke.bench.report.Machine;
import io.convoke.bench.report.Report;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.lab.child.Scratch;
import io.convoke.lab.stores.Stores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The durable engine beside pgbench, the seed to the letter and, where it is there, others. */
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
  public Report run(BenchSettings settings, Progress progress) throws Exception {
    boolean quick = settings.rounds() < 3;
    try (Scratch scratch = Scratch.open("convoke-bench");
        Stores stores = Stores.open(scratch.folder(), SERVER)) {
      progress.say(
          "machine  "
              + Machine.ofThis().with("PostgreSQL " + stores.postgres().version()).line()
              + ", fsync on");
      List<NodePeer.Kind> nodes =
          quick ? NodePeers.skipped(progress, "a quick slice") : NodePeers.find(progress);
      List<Table> tables = new ArrayList<>();
      Goals goals = new Goals();
      throughput(stores, scratch.folder(), nodes, settings, progress, tables);
      Goals _ = goals.enqueue(tables.getFirst()).work(tables.getLast());
      Table listeners = said(progress, "listeners", Listeners.measure(stores, settings));
      Table latency = said(progress, "latency", Latency.measure(stores, nodes, settings));
      Counts idle = said(progress, "idle", Idle.measure(stores, nodes, settings));
      Table held = said(progress, "held transaction", HeldTransaction.measure(stores, settings));
      Timers.Outcome timers = said(progress, "timers", Timers.measure(stores, settings));
      Table flows = said(progress, "workflows", Flows.measure(stores, settings));
      Goals _ = goals.listeners(listeners).latency(latency).idle(idle).held(held).timers(timers);
      tables.addAll(List.of(listeners, latency, held, flows));
      return new Report(
          name(),
          "items queued durably, and done",
          tables,
          List.of(idle, timers.counts()),
          List.of(
              "every item that a caller was told is durable is in the table, and none is left",
              "no timer fired before its time, and none was lost over the restart"),
          goals.all(),
          wrong(tables, timers));
    }
  }

  private static <T> T said(Progress progress, String what, T measured) {
    progress.say(what + " measured");
    return measured;
  }

  private static void throughput(
      Stores stores,
      Path folder,
      List<NodePeer.Kind> nodes,
      BenchSettings settings,
      Progress progress,
      List<Table> tables)
      throws Exception {
    List<Contender> contenders = new ArrayList<>();
    try {
      contenders(contenders, stores, folder, nodes, settings);
      for (Contender contender : contenders) {
        long _ = contender.enqueue(CALLERS, settings.warmUp().dividedBy(2));
        Worked _ = contender.work(settings.warmUp());
      }
      tables.add(new Table(CALLERS + " callers enqueue", enqueues(contenders, settings)));
      progress.say("enqueues measured");
      tables.add(new Table("no-op work, acked", works(contenders, settings)));
      progress.say("work measured");
    } finally {
      for (Contender contender : contenders) {
        contender.close();
      }
    }
  }

  private static void contenders(
      List<Contender> contenders,
      Stores stores,
      Path folder,
      List<NodePeer.Kind> nodes,
      BenchSettings settings)
      throws Exception {
    Optional<Contender> pgbench = PgBench.find(fresh(stores, PgBench.NAME), folder);
    pgbench.ifPresent(contenders::add);
    contenders.add(new LiteralSeed(fresh(stores, "seed")));
    for (NodePeer.Kind kind : nodes) {
      contenders.add(kind.open(fresh(stores, kind.shown())));
    }
    for (String name : Libraries.of(settings)) {
      contenders.add(Libraries.open(name, fresh(stores, name)));
    }
  }

  /** A database of its own for each contender, on the one server. */
  static String fresh(Stores stores, String name) {
    String database = "bench_" + name.toLowerCase(Locale.ROOT).replace('-', '_');
    stores.postgres().createDatabase(database, "template1");
    return stores.postgres().url(database);
  }

  private static List<Series> enqueues(List<Contender> contenders, BenchSettings settings)
      throws Exception {
    return Rounds.interleaved(
        settings.rounds(),
        contenders,
        Contender::name,
        (contender, round) -> {
          contender.clear();
          long begun = System.nanoTime();
          long calls = contender.enqueue(CALLERS, settings.span());
          long nanos = System.nanoTime() - begun;
          long rows = contender.queued();
          return sample(rows, Math.abs(calls - rows), nanos);
        });
  }

  /**
   * pgbench does no work: it is left out. A candidate that takes very long is stopped and its count
   * so far is used.
   */
  private static List<Series> works(List<Contender> contenders, BenchSettings settings)
      throws Exception {
    return Rounds.interleaved(
        settings.rounds(),
        contenders.stream().filter(contender -> !(contender instanceof PgBench)).toList(),
        Contender::name,
        (contender, round) -> {
          contender.clear();
          long calls = contender.enqueue(CALLERS, settings.span());
          long queued = contender.queued();
          Worked worked = contender.work(settings.span().multipliedBy(LONGEST));
          return sample(worked.items(), calls - queued, worked.span().toNanos());
        });
  }

  static Sample sample(long operations, long failures, long nanos) {
    return new Sample(
        operations, failures, Duration.ofNanos(nanos), Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }

  private static List<String> wrong(List<Table> tables, Timers.Outcome timers) {
    List<String> wrong = new ArrayList<>();
    for (Table table : tables) {
      for (Series series : table.series()) {
        if (series.most(sample -> Math.abs(sample.failures())) != 0) {
          wrong.add(series.candidate() + " miscounted in '" + table.title() + "'");
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

package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.Rounds;
import io.convoke.bench.report.Counts;
import io.convoke.bench.report.Goal;
import io.convoke.bench.report.Machine;
import io.convoke.bench.report.Report;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.child.Scratch;
import io.convoke.lab.stores.Stores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The durable engine beside pgbench, the seed to the letter and, where it is there, others. */
public final class DurableBenchmark implements Benchmark {
  private static final int CALLERS = 64;
  private static final String OURS = "convoke";

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
    try (Scratch scratch = Scratch.open("convoke-bench");
        Stores stores = Stores.open(scratch.folder())) {
      progress.say(
          "machine  "
              + Machine.ofThis().with("PostgreSQL " + stores.postgres().version()).line()
              + ", fsync on");
      List<Contender> contenders = contenders(stores, scratch.folder());
      List<Table> tables = new ArrayList<>();
      try {
        warmUp(contenders, settings);
        tables.add(new Table(CALLERS + " callers enqueue", enqueues(contenders, settings)));
        progress.say("enqueues measured");
        tables.add(new Table("no-op work, acked", works(contenders, settings)));
        progress.say("work measured");
      } finally {
        for (Contender contender : contenders) {
          contender.close();
        }
      }
      Table listeners = Listeners.measure(stores, settings);
      tables.add(listeners);
      progress.say("listeners measured");
      Table latency = Latency.measure(stores, settings);
      tables.add(latency);
      progress.say("latency measured");
      Counts idle = Idle.measure(stores, settings);
      return report(tables, listeners, latency, idle);
    }
  }

  private static List<Contender> contenders(Stores stores, Path folder) throws Exception {
    List<Contender> contenders = new ArrayList<>();
    Optional<Contender> pgbench = PgBench.find(fresh(stores, "pgbench"), folder);
    pgbench.ifPresent(contenders::add);
    contenders.add(new LiteralSeed(DatabaseUrl.parse(fresh(stores, "seed"))));
    contenders.add(new Convoke(fresh(stores, OURS)));
    return contenders;
  }

  /** A database of its own for each contender, on the one server. */
  static String fresh(Stores stores, String name) {
    stores.postgres().createDatabase("bench_" + name, "template1");
    return stores.postgres().url("bench_" + name);
  }

  private static void warmUp(List<Contender> contenders, BenchSettings settings) throws Exception {
    for (Contender contender : contenders) {
      long _ = contender.enqueue(CALLERS, settings.warmUp().dividedBy(2));
      long _ = contender.work();
    }
  }

  private static List<Series> enqueues(List<Contender> contenders, BenchSettings settings)
      throws Exception {
    return Rounds.interleaved(
        settings.rounds(),
        contenders,
        Contender::name,
        (contender, round) -> {
          long before = contender.queued();
          long begun = System.nanoTime();
          long calls = contender.enqueue(CALLERS, settings.span());
          long nanos = System.nanoTime() - begun;
          long rows = contender.queued() - before;
          return sample(rows, Math.abs(calls - rows), nanos);
        });
  }

  /** pgbench does no work: it is left out. */
  private static List<Series> works(List<Contender> contenders, BenchSettings settings)
      throws Exception {
    return Rounds.interleaved(
        settings.rounds(),
        contenders.stream().filter(contender -> !(contender instanceof PgBench)).toList(),
        Contender::name,
        (contender, round) -> {
          long _ = contender.enqueue(CALLERS, settings.span());
          long queued = contender.queued();
          long begun = System.nanoTime();
          long done = contender.work();
          return sample(done, queued - done, System.nanoTime() - begun);
        });
  }

  static Sample sample(long operations, long failures, long nanos) {
    return new Sample(
        operations, failures, Duration.ofNanos(nanos), Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }

  private static Report report(List<Table> tables, Table listeners, Table latency, Counts idle) {
    Table enqueue = tables.getFirst();
    List<Goal> goals = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    enqueue.series().stream()
        .filter(series -> series.candidate().equals("pgbench"))
        .findFirst()
        .ifPresent(
            pgbench ->
                goals.add(
                    Goal.atLeast(
                            "enqueue against pgbench, 16 clients",
                            enqueue.named(OURS).ratioTo(pgbench),
                            2)
                        .then(4)));
    goals.add(
        Goal.atLeast(
            "enqueue, listeners against none",
            listeners.named("convoke, 4 listen").ratioTo(listeners.named("convoke, none")),
            0.95));
    Series ours = latency.named(OURS);
    goals.add(
        Goal.atMost(
            "idle latency to another process, p50 ms",
            ours.median(sample -> sample.p50().toNanos() / 1e6),
            1));
    goals.add(
        Goal.atMost(
            "idle latency to another process, p99 ms",
            ours.median(sample -> sample.p99().toNanos() / 1e6),
            3));
    idle.rows()
        .forEach(
            row ->
                goals.add(
                    Goal.atMost(
                        "idle statements a second, " + row.name(), row.values().getFirst(), 0.05)));
    for (Table table : tables) {
      for (Series series : table.series()) {
        if (series.most(Sample::failures) != 0) {
          wrong.add(series.candidate() + " miscounted in '" + table.title() + "'");
        }
      }
    }
    return new Report(
        "durable",
        "items queued durably, and done",
        tables,
        List.of(idle),
        List.of("every item that a caller was told is durable is in the table, and none is left"),
        goals,
        wrong);
  }
}

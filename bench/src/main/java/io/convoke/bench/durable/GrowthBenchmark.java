package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.LogSilencer;
import io.convoke.bench.Progress;
import io.convoke.bench.process.JavaChildProcess;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.CountTable.CountRow;
import io.convoke.bench.report.MachineDescription;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.EnqueueOptions;
import io.convoke.simulator.process.TempFolder;
import io.convoke.simulator.stores.LocalStores;
import java.io.BufferedReader;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** How the cost of jobs and workflows grows with what waits, with histories, and with nodes. */
public final class GrowthBenchmark implements Benchmark {
  static final String JOB = "noop";

  private static final List<String> SERVER =
      List.of("shared_buffers=512MB", "max_wal_size=4GB", "max_connections=400");
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final long LOOK_NANOS = 10_000_000;
  private static final String DUE = "durable.worker_queue where visible_at <= now()";
  private static final int CALLERS = 64;
  private static final String STEPPED = "stepped";
  private static final int FIRST = 1_000;

  /** Jobs that are done beside a backlog, and jobs of all nodes together. */
  private static final int MEASURED = 50_000;

  @Override
  public String name() {
    return "growth";
  }

  @Override
  public String summary() {
    return "jobs beside up to 10,000,000 others, histories of up to 100,000 events, 1 to 8 nodes";
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    boolean quick = settings.rounds() < 3;
    int measured = quick ? FIRST : MEASURED;
    try (TempFolder tempFolder = TempFolder.open("convoke-bench");
        LocalStores localStores = LocalStores.open(tempFolder.folder(), SERVER)) {
      progress.report(
          "machine  "
              + MachineDescription.ofThis()
                  .with("PostgreSQL " + localStores.postgres().version())
                  .line());
      CountTable waiting = waiting(localStores, measured, powersOfTen(3, quick ? 4 : 7), progress);
      CountTable histories = histories(localStores, powersOfTen(1, quick ? 3 : 5), progress);
      CountTable nodes =
          nodes(localStores, measured, quick ? List.of(1, 2) : List.of(1, 2, 4, 8), progress);
      return new BenchmarkReport(
          name(),
          "cost beside what grows",
          List.of(),
          List.of(waiting, histories, nodes),
          List.of("every job was done, every workflow returned its result"),
          List.of(),
          List.of());
    }
  }

  private static List<Integer> powersOfTen(int first, int last) {
    return IntStream.rangeClosed(first, last).mapToObj(n -> (int) Math.pow(10, n)).toList();
  }

  private static CountTable waiting(
      LocalStores localStores, int measured, List<Integer> sizes, Progress progress)
      throws Exception {
    List<CountRow> rows = new ArrayList<>();
    String url = DurableBenchmark.fresh(localStores, "growth_jobs");
    try (Durable client = Durable.on(url).connect();
        CandidateConnectionPool rowsOf = new CandidateConnectionPool(url)) {
      double _ = done(url, rowsOf, measured);
      long there = 0;
      for (int size : sizes) {
        fill(rowsOf, "now() + interval '1 day'", size - there);
        there = size;
        rowsOf.run("vacuum analyze durable.worker_queue");
        long begun = System.nanoTime();
        long calls =
            ConcurrentCallers.run(
                CALLERS, Duration.ofSeconds(2), _ -> client.enqueue(JOB, "x", EnqueueOptions.NONE));
        double enqueued = calls / seconds(begun);
        double done = done(url, rowsOf, measured);
        rows.add(CountRow.of("%,d".formatted(size), Math.round(enqueued), Math.round(done)));
        progress.report("%,d scheduled jobs measured".formatted(size));
      }
    }
    return new CountTable("jobs scheduled for later", List.of("enqueued/s", "done/s"), rows);
  }

  /** Queues jobs that are due, and returns how many a second one node does. */
  private static double done(String url, CandidateConnectionPool rows, int measured)
      throws Exception {
    fill(rows, "now()", measured);
    long due = rows.count("select count(*) from " + DUE);
    long begun = System.nanoTime();
    try (Durable _ = Durable.on(url).job(JOB, String.class, (context, input) -> {}).start()) {
      await(rows);
      return due / seconds(begun);
    }
  }

  private static void fill(CandidateConnectionPool rows, String visibleAt, long many)
      throws SQLException {
    rows.run(
        """
        insert into durable.worker_queue (instance_id, work_item, pool, visible_at)
        select gen_random_uuid()::text, '{"input":"x","trace":null}', 'job:%s', %s
        from generate_series(1, %d)
        """
            .formatted(JOB, visibleAt, many));
  }

  private static void await(CandidateConnectionPool rows) throws SQLException {
    while (rows.count("select count(*) from (select from " + DUE + " limit 1) as due") > 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static CountTable histories(
      LocalStores localStores, List<Integer> lengths, Progress progress) throws Exception {
    List<CountRow> rows = new ArrayList<>();
    String url = DurableBenchmark.fresh(localStores, "growth_history");
    for (int length : lengths) {
      String id = "steps-" + length;
      double each;
      try (Durable engine = stepping(url).start()) {
        long begun = System.nanoTime();
        engine.start("steps", id, length);
        while (engine.instance(id).flatMap(it -> it.customStatus()).isEmpty()) {
          LockSupport.parkNanos(LOOK_NANOS);
        }
        each = seconds(begun) * 1e6 / length;
      }
      // Another node continues, so it reads and replays the history first.
      try (Durable engine = stepping(url).start()) {
        long begun = System.nanoTime();
        engine.raise(id, "go", "on");
        int steps = engine.await(id, Integer.class, LONG);
        if (steps != length) {
          throw new IllegalStateException(id + " returned " + steps);
        }
        rows.add(
            CountRow.of(
                "%,d".formatted(length), Math.round(each), Math.round(seconds(begun) * 1e3)));
      }
      progress.report("a history of %,d events measured".formatted(length));
    }
    return new CountTable("events of a history", List.of("us a step", "ms to replay"), rows);
  }

  /** A workflow of steps that waits for an event before its end. */
  private static Durable.Builder stepping(String url) {
    return Durable.on(url)
        .workflow(
            "steps",
            Integer.class,
            (context, length) -> {
              int value = 0;
              for (int i = 0; i < length; i++) {
                int before = value;
                value = context.step("add", Integer.class, () -> before + 1);
              }
              context.status(STEPPED);
              String _ = context.event("go", String.class).get();
              return value;
            });
  }

  private static CountTable nodes(
      LocalStores localStores, int measured, List<Integer> counts, Progress progress)
      throws Exception {
    List<CountRow> rows = new ArrayList<>();
    String url = DurableBenchmark.fresh(localStores, "growth_nodes");
    Durable.on(url).connect().close();
    try (CandidateConnectionPool pool = new CandidateConnectionPool(url)) {
      for (int count : counts) {
        List<Process> nodes = new ArrayList<>();
        try {
          for (int i = 0; i < count; i++) {
            nodes.add(LibraryWorkerProcess.start(GrowthNode.class, url));
          }
          for (Process node : nodes) {
            BufferedReader lines = node.inputReader();
            if (!"ready".equals(lines.readLine())) {
              throw new IllegalStateException("a node did not start");
            }
          }
          fill(pool, "now()", measured);
          await(pool);
          long begun = System.nanoTime();
          fill(pool, "now()", 2L * measured);
          await(pool);
          rows.add(CountRow.of(Integer.toString(count), Math.round(2 * measured / seconds(begun))));
        } finally {
          nodes.forEach(Process::destroyForcibly);
        }
        progress.report(count + " nodes measured");
      }
    }
    return new CountTable("nodes", List.of("jobs queued and done/s"), rows);
  }

  private static double seconds(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }

  /** A process with one node. */
  static final class GrowthNode {
    private GrowthNode() {}

    public static void main(String[] arguments) throws Exception {
      LogSilencer.libraries();
      String url = Optional.ofNullable(System.getenv("DATABASE_URL")).orElseThrow();
      try (Durable _ = Durable.on(url).job(JOB, String.class, (context, input) -> {}).start()) {
        JavaChildProcess.send("ready");
        int _ = System.in.read();
      }
    }
  }
}

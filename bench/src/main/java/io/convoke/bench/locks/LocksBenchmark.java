package io.convoke.bench.locks;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.report.Goal;
import io.convoke.bench.report.Machine;
import io.convoke.bench.report.Report;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.engine.lease.LeaseTerms;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.Scratch;
import io.convoke.lab.stores.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Our leases beside Redisson's lock and a hand-written one: taken, given back, and kept. */
public final class LocksBenchmark implements Benchmark {
  /** Seed 000's lock for a poll. */
  private static final LeaseTerms TERMS =
      new LeaseTerms(Duration.ofSeconds(120), Duration.ofSeconds(30));

  private static final long WATCHDOG_MILLIS = 30_000;

  @Override
  public String name() {
    return "locks";
  }

  @Override
  public String summary() {
    return "locks taken and given back, and many kept, beside Redisson and SET NX by hand";
  }

  @Override
  public Report run(BenchSettings settings, Progress progress) throws Exception {
    try (Scratch scratch = Scratch.open("convoke-bench");
        Guardian guardian = new Guardian()) {
      progress.say("machine  " + Machine.ofThis().line() + ", AOF everysec");
      Table table = cycles(scratch.folder(), guardian, settings, progress);
      Renewals.Outcome renewals = Renewals.measure(scratch.folder(), guardian, settings, progress);
      return new Report(
          name(),
          "a free lock taken and given back",
          List.of(table),
          List.of(renewals.counts()),
          List.of("no lock was left behind by any turn", "every lock was held until the end"),
          goals(table, renewals),
          renewals.lost() == 0 ? List.of() : List.of(renewals.lost() + " held locks ended"));
    }
  }

  private static Table cycles(
      Path folder, Guardian guardian, BenchSettings settings, Progress progress) throws Exception {
    try (RedisServer server = RedisServer.start(folder.resolve("redis"), guardian);
        Locker byHand = new HandWritten(server.url());
        Locker redisson = new RedissonLocks(server.url(), WATCHDOG_MILLIS);
        Locker ours = new Leases(server.url(), TERMS)) {
      return Cycles.measure(List.of(byHand, redisson, ours), server, settings, progress);
    }
  }

  private static List<Goal> goals(Table table, Renewals.Outcome renewals) {
    Series ours = table.named(Leases.NAME);
    return List.of(
        Goal.atLeast("locks against redisson", ours.ratioTo(table.named(RedissonLocks.NAME)), 4)
            .then(8),
        Goal.atLeast("locks against hand-written", ours.ratioTo(table.named(HandWritten.NAME)), 0.6)
            .then(1),
        Goal.atMost("renewals, all commands, ours / redisson", renewals.ratio(0, 2, 0), 0.2),
        Goal.atMost("renewals sent at equal terms, ours / redisson", renewals.ratio(1, 2, 1), 0.2));
  }
}

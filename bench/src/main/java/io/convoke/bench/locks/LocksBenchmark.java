package io.convoke.bench.locks;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MachineDescription;
import io.convoke.bench.report.MeasurementGoal;
import io.convoke.bench.report.RateTable;
import io.convoke.engine.lease.LeaseConfig;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.TempFolder;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Convoke's leases beside Redisson's lock and a hand-written one: acquired, released, and renewed.
 */
public final class LocksBenchmark implements Benchmark {
  /** The lock of a presence poll (presence-10). */
  private static final LeaseConfig TERMS =
      new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30));

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
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    try (TempFolder tempFolder = TempFolder.open("convoke-bench");
        OrphanReaper orphanReaper = new OrphanReaper()) {
      progress.report("machine  " + MachineDescription.ofThis().line() + ", AOF everysec");
      RateTable rateTable = cycles(tempFolder.folder(), orphanReaper, settings, progress);
      RenewalCost.RenewalCostResult renewals =
          RenewalCost.measure(tempFolder.folder(), orphanReaper, settings, progress);
      return new BenchmarkReport(
          name(),
          "a free lock taken and given back",
          List.of(rateTable),
          List.of(renewals.counts()),
          List.of("no lock was left behind by any turn", "every lock was held until the end"),
          goals(rateTable, renewals),
          renewals.lost() == 0 ? List.of() : List.of(renewals.lost() + " held locks ended"));
    }
  }

  private static RateTable cycles(
      Path folder, OrphanReaper orphanReaper, BenchSettings settings, Progress progress)
      throws Exception {
    try (EmbeddedRedis server = EmbeddedRedis.start(folder.resolve("redis"), orphanReaper);
        Locker byHand = new HandWrittenLocker(server.url());
        Locker redisson = new RedissonLocker(server.url(), WATCHDOG_MILLIS);
        Locker ours = new ConvokeLeaseLocker(server.url(), TERMS)) {
      return LockCycles.measure(List.of(byHand, redisson, ours), server, settings, progress);
    }
  }

  private static List<MeasurementGoal> goals(
      RateTable rateTable, RenewalCost.RenewalCostResult renewals) {
    CandidateSeries ours = rateTable.named(ConvokeLeaseLocker.NAME);
    return List.of(
        MeasurementGoal.atLeast(
                "locks against redisson", ours.ratioTo(rateTable.named(RedissonLocker.NAME)), 4)
            .then(8),
        MeasurementGoal.atLeast(
                "locks against hand-written",
                ours.ratioTo(rateTable.named(HandWrittenLocker.NAME)),
                0.6)
            .then(1),
        MeasurementGoal.atMost(
            "renewals, all commands, ours / redisson", renewals.ratio(0, 2, 0), 0.2),
        MeasurementGoal.atMost(
            "renewals sent at equal terms, ours / redisson", renewals.ratio(1, 2, 1), 0.2));
  }
}

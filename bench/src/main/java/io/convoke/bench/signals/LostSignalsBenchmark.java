package io.convoke.bench.signals;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.MachineDescription;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.TempFolder;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Flags lost when set at any point of a running poll: Convoke's protocol beside the reference. */
public final class LostSignalsBenchmark implements Benchmark {
  static final String SEED = "seed's protocol";
  static final String OURS = "ours";

  /** Interleavings side by side in one lane. */
  private static final int SIDE_BY_SIDE = 1_000;

  private static final int LANES = 2;

  /** The reference runs a part of the interleavings: it loses enough of them. */
  private static final int SEED_SHARE = 10;

  /** So many interleavings of the reference cannot all succeed by chance. */
  private static final int ENOUGH = 100;

  private static final int TOLD_EACH = 250_000;

  @Override
  public String name() {
    return "lost-signals";
  }

  @Override
  public String summary() {
    return "flags set at every point of a running poll: how many are lost, beside the seed's way";
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    try (TempFolder tempFolder = TempFolder.open("convoke-bench");
        OrphanReaper orphanReaper = new OrphanReaper();
        EmbeddedRedis redis =
            EmbeddedRedis.start(tempFolder.folder().resolve("redis"), orphanReaper)) {
      URI url = URI.create(redis.url());
      progress.report("machine  " + MachineDescription.ofThis().line());
      progress.report(
          "stories  %,d from seed %d, the first tenth on the seed's protocol too"
              .formatted(settings.interleavings(), settings.seed()));
      withoutFile(url);
      Map<String, InterleavingTotals> tallies = new LinkedHashMap<>();
      BenchSettings less =
          settings.withInterleavings(Math.max(1, settings.interleavings() / SEED_SHARE));
      tallies.put(SEED, playAll(url, ReferenceInterleaving::new, less, SEED, progress));
      tallies.put(OURS, playAll(url, ConvokeInterleaving::new, settings, OURS, progress));
      return report(tallies);
    }
  }

  /** Nothing here outlives the run, and a file of every write would be gigabytes. */
  private static void withoutFile(URI redis) throws IOException {
    try (PipelinedConnection pipelinedConnection = new PipelinedConnection(redis)) {
      Object _ = pipelinedConnection.call(RedisCall.of("CONFIG", "SET", "appendonly", "no"));
    }
  }

  private static InterleavingTotals playAll(
      URI redis,
      InterleavingRunner.InterleavingFactory interleavingFactory,
      BenchSettings settings,
      String name,
      Progress progress)
      throws Exception {
    InterleavingTotals interleavingTotals = new InterleavingTotals();
    AtomicLong next = new AtomicLong(settings.seed());
    long end = settings.seed() + settings.interleavings();
    try (ExecutorService threads = Executors.newFixedThreadPool(LANES)) {
      List<Future<?>> lanes = new ArrayList<>();
      for (int i = 0; i < LANES; i++) {
        int database = i;
        lanes.add(
            threads.submit(
                () -> {
                  try (InterleavingRunner interleavingRunner =
                      new InterleavingRunner(redis, database)) {
                    for (long from = next.getAndAdd(SIDE_BY_SIDE);
                        from < end;
                        from = next.getAndAdd(SIDE_BY_SIDE)) {
                      int number = (int) Math.min(SIDE_BY_SIDE, end - from);
                      interleavingTotals.add(
                          interleavingRunner.play(interleavingFactory, from, number));
                      if ((from - settings.seed()) % TOLD_EACH == 0 && from > settings.seed()) {
                        progress.report(
                            "%-8s %,d stories, %,d lost"
                                .formatted(
                                    name, from - settings.seed(), interleavingTotals.lost()));
                      }
                    }
                    return interleavingTotals;
                  }
                }));
      }
      for (Future<?> lane : lanes) {
        var _ = lane.get();
      }
    }
    return interleavingTotals;
  }

  private static BenchmarkReport report(Map<String, InterleavingTotals> tallies) {
    List<CountTable.CountRow> sums = new ArrayList<>();
    List<CountTable.CountRow> points = new ArrayList<>();
    tallies.forEach(
        (name, interleavingTotals) -> {
          sums.add(
              CountTable.CountRow.of(
                  name,
                  interleavingTotals.interleavings(),
                  interleavingTotals.signals(),
                  interleavingTotals.lost(),
                  interleavingTotals.lostWithoutFault(),
                  interleavingTotals.unseen(),
                  interleavingTotals.twice()));
          for (SignalPoint signalPoint : SignalPoint.values()) {
            points.add(
                CountTable.CountRow.of(
                    name + ", " + signalPoint.description(),
                    interleavingTotals.struck(signalPoint),
                    interleavingTotals.lostAt(signalPoint)));
          }
        });
    InterleavingTotals ours = tallies.getOrDefault(OURS, new InterleavingTotals());
    InterleavingTotals seeds = tallies.getOrDefault(SEED, new InterleavingTotals());
    List<String> wrong = new ArrayList<>();
    for (SignalInterleaving example : ours.examples()) {
      wrong.add(
          "seed %d: %s (again: ./convoke bench lost-signals --seed %d --interleavings 1)"
              .formatted(example.seed(), String.join("; ", example.story()), example.seed()));
    }
    if (seeds.lost() == 0 && seeds.interleavings() >= ENOUGH) {
      wrong.add("the seed's protocol lost nothing: this harness would not notice a loss");
    }
    return new BenchmarkReport(
        "lost-signals",
        "%,d interleavings of workers, signals and faults".formatted(ours.interleavings()),
        List.of(),
        List.of(
            new CountTable(
                "protocol",
                List.of(
                    "interleavings",
                    "signals",
                    "LOST",
                    "of them no fault",
                    "no answer after",
                    "two at once"),
                sums),
            new CountTable("where the flag was set", List.of("signals", "lost"), points)),
        List.of("lost: no poll that ended well began after the flag was set, all being quiet"),
        List.of(),
        wrong);
  }
}

package io.convoke.bench.signals;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.report.Counts;
import io.convoke.bench.report.Machine;
import io.convoke.bench.report.Report;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.Scratch;
import io.convoke.lab.stores.RedisServer;
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

/** How many flags are lost that are set at any point of a running poll: ours beside the seed's. */
public final class LostSignalsBenchmark implements Benchmark {
  static final String SEED = "seed's protocol";
  static final String OURS = "ours";

  /** Interleavings side by side in one lane. */
  private static final int SIDE_BY_SIDE = 1_000;

  private static final int LANES = 2;

  /** The seed's protocol plays a part of the stories: it loses enough of them. */
  private static final int SEED_SHARE = 10;

  /** So many stories of the seed's protocol cannot all come out right by chance. */
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
  public Report run(BenchSettings settings, Progress progress) throws Exception {
    try (Scratch scratch = Scratch.open("convoke-bench");
        Guardian guardian = new Guardian();
        RedisServer redis = RedisServer.start(scratch.folder().resolve("redis"), guardian)) {
      URI url = URI.create(redis.url());
      progress.say("machine  " + Machine.ofThis().line());
      progress.say(
          "stories  %,d from seed %d, the first tenth on the seed's protocol too"
              .formatted(settings.interleavings(), settings.seed()));
      withoutFile(url);
      Map<String, Tally> tallies = new LinkedHashMap<>();
      BenchSettings less =
          settings.withInterleavings(Math.max(1, settings.interleavings() / SEED_SHARE));
      tallies.put(SEED, playAll(url, SeedInterleaving::new, less, SEED, progress));
      tallies.put(OURS, playAll(url, OurInterleaving::new, settings, OURS, progress));
      return report(tallies);
    }
  }

  /** Nothing here outlives the run, and a file of every write would be gigabytes. */
  private static void withoutFile(URI redis) throws IOException {
    try (Pipe pipe = new Pipe(redis)) {
      Object _ = pipe.ask(Call.of("CONFIG", "SET", "appendonly", "no"));
    }
  }

  private static Tally playAll(
      URI redis, Lane.Beginning beginning, BenchSettings settings, String name, Progress progress)
      throws Exception {
    Tally tally = new Tally();
    AtomicLong next = new AtomicLong(settings.seed());
    long end = settings.seed() + settings.interleavings();
    try (ExecutorService threads = Executors.newFixedThreadPool(LANES)) {
      List<Future<?>> lanes = new ArrayList<>();
      for (int i = 0; i < LANES; i++) {
        int database = i;
        lanes.add(
            threads.submit(
                () -> {
                  try (Lane lane = new Lane(redis, database)) {
                    for (long from = next.getAndAdd(SIDE_BY_SIDE);
                        from < end;
                        from = next.getAndAdd(SIDE_BY_SIDE)) {
                      int number = (int) Math.min(SIDE_BY_SIDE, end - from);
                      tally.add(lane.play(beginning, from, number));
                      if ((from - settings.seed()) % TOLD_EACH == 0 && from > settings.seed()) {
                        progress.say(
                            "%-8s %,d stories, %,d lost"
                                .formatted(name, from - settings.seed(), tally.lost()));
                      }
                    }
                    return tally;
                  }
                }));
      }
      for (Future<?> lane : lanes) {
        var _ = lane.get();
      }
    }
    return tally;
  }

  private static Report report(Map<String, Tally> tallies) {
    List<Counts.Row> sums = new ArrayList<>();
    List<Counts.Row> points = new ArrayList<>();
    tallies.forEach(
        (name, tally) -> {
          sums.add(
              Counts.Row.of(
                  name,
                  tally.interleavings(),
                  tally.signals(),
                  tally.lost(),
                  tally.lostWithoutFault(),
                  tally.unseen(),
                  tally.twice()));
          for (Point point : Point.values()) {
            points.add(
                Counts.Row.of(
                    name + ", " + point.words(), tally.struck(point), tally.lostAt(point)));
          }
        });
    Tally ours = tallies.getOrDefault(OURS, new Tally());
    Tally seeds = tallies.getOrDefault(SEED, new Tally());
    List<String> wrong = new ArrayList<>();
    for (Interleaving example : ours.examples()) {
      wrong.add(
          "seed %d: %s (again: ./convoke bench lost-signals --seed %d --interleavings 1)"
              .formatted(example.seed(), String.join("; ", example.story()), example.seed()));
    }
    if (seeds.lost() == 0 && seeds.interleavings() >= ENOUGH) {
      wrong.add("the seed's protocol lost nothing: this harness would not notice a loss");
    }
    return new Report(
        "lost-signals",
        "%,d interleavings of workers, signals and faults".formatted(ours.interleavings()),
        List.of(),
        List.of(
            new Counts(
                "protocol",
                List.of(
                    "interleavings",
                    "signals",
                    "LOST",
                    "of them no fault",
                    "no answer after",
                    "two at once"),
                sums),
            new Counts("where the flag was set", List.of("signals", "lost"), points)),
        List.of("lost: no poll that ended well began after the flag was set, all being quiet"),
        List.of(),
        wrong);
  }
}

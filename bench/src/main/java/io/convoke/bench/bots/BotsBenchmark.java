package io.convoke.bench.bots;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.Rounds;
import io.convoke.bench.load.LoadGenerator;
import io.convoke.bench.load.PacedLoad;
import io.convoke.bench.load.Requests;
import io.convoke.bench.report.Counts;
import io.convoke.bench.report.Goal;
import io.convoke.bench.report.Machine;
import io.convoke.bench.report.Report;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Table;
import io.convoke.lab.child.JavaProcess;
import io.convoke.lab.child.Scratch;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/** What many live bots and a million that ended cost, and what a start request does. */
public final class BotsBenchmark implements Benchmark {
  private static final Duration HEARTBEAT = Duration.ofSeconds(30);
  private static final int CALLERS = 50;

  /** Of a server that has just started, its compiler takes more than the requests. */
  private static final int WARM_UPS = 4;

  /** A heartbeat waits for its group, so few connections would not carry the rate. */
  private static final int CONNECTIONS = 1000;

  private static final int SILENT = 50;
  private static final double TRANSACTIONS_A_SECOND = 20;
  private static final double OF_BARE = 3;

  /** For the query whether any bot is live. */
  private static final double READS_BESIDE_DUE = 10;

  @Override
  public String name() {
    return "bots";
  }

  @Override
  public String summary() {
    return "heartbeats of live bots, a sweep over a million meetings, starts beside bare inserts";
  }

  @Override
  public Report run(BenchSettings settings, Progress progress) throws Exception {
    boolean whole = settings.active() >= 10_000;
    int live = whole ? 10_000 : 200;
    int over = whole ? 1_000_000 : 20_000;
    try (Scratch scratch = Scratch.open("convoke-bench");
        House house = new House(scratch.folder())) {
      progress.say(
          "machine  " + Machine.ofThis().with("Postgres " + house.postgresVersion()).line());
      List<String> keys = house.users(CALLERS);
      Table starts = starts(house, settings, keys);
      progress.say("starts   p99 of ours is %.2f of a bare insert's".formatted(ofBare(starts)));
      house.run("delete from convoke.meetings");
      house.live(live);
      house.over(over);
      progress.say("filled   %,d live bots, %,d that ended".formatted(live, over));
      Beats beats = heartbeats(house, live, whole ? Duration.ofSeconds(60) : Duration.ofSeconds(3));
      progress.say("beats    %.1f transactions a second".formatted(beats.transactions()));
      Sweeps sweeps = new Sweeps(house);
      long blocks = sweeps.tableBlocks();
      Map<String, Sweeps.Read> read = sweeps.measure(whole ? 5 : 2, Math.min(SILENT, live / 10));
      Sweeps.Read quiet = read.getOrDefault("quiet", new Sweeps.Read(0, 0, 0));
      Sweeps.Read ending = read.getOrDefault("ending", quiet);
      return report(live, over, starts, beats, blocks, quiet, ending);
    }
  }

  private Report report(
      int live,
      int over,
      Table starts,
      Beats beats,
      long blocks,
      Sweeps.Read quiet,
      Sweeps.Read ending) {
    List<String> wrong = new ArrayList<>();
    if (beats.sample().failures() > 0) {
      wrong.add(beats.sample().failures() + " heartbeats were not answered 200");
    }
    if (quiet.scanned() + ending.scanned() > live) {
      wrong.add("a sweep read the table from one end to the other");
    }
    return new Report(
        name(),
        "%,d live bots with a heartbeat each %d s, %,d that ended"
            .formatted(live, HEARTBEAT.toSeconds(), over),
        List.of(starts),
        List.of(
            new Counts(
                "heartbeats",
                List.of("a second", "transactions/s", "p50 ms", "p99 ms"),
                List.of(
                    Counts.Row.of(
                        "ours",
                        beats.sample().perSecond(),
                        beats.transactions(),
                        beats.sample().p50().toNanos() / 1e6,
                        beats.sample().p99().toNanos() / 1e6))),
            new Counts(
                "one sweep",
                List.of("rows fetched", "rows scanned", "blocks touched", "of table's blocks"),
                List.of(
                    row("nothing due", quiet, blocks), row("bots fallen silent", ending, blocks)))),
        List.of(
            "every heartbeat was answered 200, every start 201",
            "no sweep read the table from one end to the other",
            "the bots that fell silent were ended"),
        List.of(
            Goal.atMost(
                "transactions a second for heartbeats",
                beats.transactions(),
                TRANSACTIONS_A_SECOND),
            Goal.atMost("rows that a sweep fetches, nothing due", quiet.rows(), READS_BESIDE_DUE),
            Goal.atMost("p99 of a start, of a bare insert", ofBare(starts), OF_BARE)),
        wrong);
  }

  private static double ofBare(Table starts) {
    return starts.named("ours").median(sample -> sample.p99().toNanos())
        / starts.named("bare insert").median(sample -> sample.p99().toNanos());
  }

  private static Counts.Row row(String name, Sweeps.Read read, long blocks) {
    return Counts.Row.of(
        name, read.rows(), read.scanned(), read.blocks(), read.blocks() / Math.max(1, blocks));
  }

  /** Heartbeats and the transactions that they took each second. */
  private record Beats(Sample sample, double transactions) {}

  private static Beats heartbeats(House house, int live, Duration span) throws Exception {
    double perSecond = (double) live / HEARTBEAT.toSeconds();
    try (JavaProcess ours = house.serve("heartbeats", "api,bots", Map.of())) {
      int number = (int) (perSecond * span.toSeconds()) + 1;
      Sample _ = drive(house, ours, perSecond, Duration.ofSeconds(2));
      byte[][] requests = house.heartbeats(ours.url(), number);
      settle();
      long before = house.transactions();
      long begun = System.nanoTime();
      Sample sample =
          PacedLoad.drive(
              House.address(ours), CONNECTIONS, perSecond, new Requests(requests), span);
      double seconds = (System.nanoTime() - begun) / 1e9;
      settle();
      return new Beats(sample, (house.transactions() - before) / seconds);
    }
  }

  /** Connections tell Postgres what they did within a second or two of being quiet. */
  private static void settle() {
    LockSupport.parkNanos(Duration.ofSeconds(3).toNanos());
  }

  private static Sample drive(House house, JavaProcess ours, double perSecond, Duration span)
      throws Exception {
    byte[][] requests = house.heartbeats(ours.url(), (int) (perSecond * span.toSeconds()) + 1);
    return PacedLoad.drive(
        House.address(ours), CONNECTIONS, perSecond, new Requests(requests), span);
  }

  private static Table starts(House house, BenchSettings settings, List<String> keys)
      throws Exception {
    try (JavaProcess ours = house.serve("starts", "api", Map.of());
        BareInsert bare = new BareInsert(house, CALLERS)) {
      for (int i = 0; i < WARM_UPS; i++) {
        Sample _ = start(house, ours, keys, settings.warmUp());
      }
      Sample _ = bare.drive(settings.warmUp().dividedBy(4));
      return new Table(
          CALLERS + " callers",
          Rounds.interleaved(
              settings.rounds(),
              List.of("bare insert", "ours"),
              name -> name,
              (name, _) ->
                  name.equals("ours")
                      ? start(house, ours, keys, settings.span())
                      : bare.drive(settings.span())));
    }
  }

  /** Every caller starts one bot after the other, each in a meeting of its own. */
  private static Sample start(House house, JavaProcess ours, List<String> keys, Duration span)
      throws Exception {
    house.run("delete from convoke.meetings");
    List<Requests> callers =
        keys.stream()
            .map(key -> starts(ours.url(), key, (int) span.toMillis() * 3 / keys.size()))
            .toList();
    Duration before = ours.cpu();
    Sample sample = LoadGenerator.drive(House.address(ours), callers, span);
    if (sample.failures() > 0) {
      throw new IllegalStateException(sample.failures() + " starts were not answered 201");
    }
    return new Sample(
        sample.operations(),
        0,
        sample.span(),
        sample.p50(),
        sample.p99(),
        ours.cpu().minus(before));
  }

  private static Requests starts(URI url, String key, int number) {
    byte[][] requests = new byte[number][];
    for (int i = 0; i < requests.length; i++) {
      requests[i] =
          House.request(
              url,
              "/bots/start",
              "X-API-Key: " + key,
              "{\"platform\":\"daily\",\"native_meeting_id\":\"" + UUID.randomUUID() + "\"}");
    }
    return new Requests(requests);
  }
}

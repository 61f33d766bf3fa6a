package io.convoke.bench.bots;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.Progress;
import io.convoke.bench.load.HttpRequestBytes;
import io.convoke.bench.load.ServerCandidate;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.MeasurementGoal;
import io.convoke.bench.report.RateTable;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/** The cost of many live bots and of a million ended ones, and of a start request. */
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

  /** For the queries that find what is due, beside the one look at each live bot for its rules. */
  private static final double READS_BESIDE_LIVE = 10;

  @Override
  public String name() {
    return "bots";
  }

  @Override
  public String summary() {
    return "heartbeats of live bots, a sweep over a million meetings, starts beside bare inserts";
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    boolean whole = settings.active() >= 10_000;
    int live = whole ? 10_000 : 200;
    int over = whole ? 1_000_000 : 20_000;
    try (BenchEnvironment environment = BenchEnvironment.open("-Xmx1g")) {
      progress.report(environment.machine());
      environment.startServer("setup", "api", Map.of()).close();
      List<String> keys = environment.insertUsers(CALLERS);
      RateTable starts = starts(environment, settings, keys);
      progress.report("starts   p99 of ours is %.2f of a bare insert's".formatted(ofBare(starts)));
      environment.run("delete from convoke.meetings");
      LiveBots bots = new LiveBots(environment);
      bots.insertActive(live);
      bots.insertEnded(over);
      progress.report("filled   %,d live bots, %,d that ended".formatted(live, over));
      HeartbeatRate heartbeatRate =
          heartbeats(
              environment, bots, live, whole ? Duration.ofSeconds(60) : Duration.ofSeconds(3));
      progress.report(
          "beats    %.1f transactions a second".formatted(heartbeatRate.transactions()));
      SweepCost sweepCost = new SweepCost(environment);
      long blocks = sweepCost.tableBlocks();
      Map<String, SweepCost.SweepReads> read =
          sweepCost.measure(whole ? 5 : 2, Math.min(SILENT, live / 10));
      SweepCost.SweepReads quiet = read.getOrDefault("quiet", new SweepCost.SweepReads(0, 0, 0));
      SweepCost.SweepReads ending = read.getOrDefault("ending", quiet);
      return report(live, over, starts, heartbeatRate, blocks, quiet, ending);
    }
  }

  private BenchmarkReport report(
      int live,
      int over,
      RateTable starts,
      HeartbeatRate heartbeatRate,
      long blocks,
      SweepCost.SweepReads quiet,
      SweepCost.SweepReads ending) {
    List<String> wrong = new ArrayList<>();
    if (heartbeatRate.sample().failures() > 0) {
      wrong.add(heartbeatRate.sample().failures() + " heartbeats were not answered 200");
    }
    if (quiet.scanned() + ending.scanned() > live) {
      wrong.add("a sweep read the table from one end to the other");
    }
    return new BenchmarkReport(
        name(),
        "%,d live bots with a heartbeat each %d s, %,d that ended"
            .formatted(live, HEARTBEAT.toSeconds(), over),
        List.of(starts),
        List.of(
            new CountTable(
                "heartbeats",
                List.of("a second", "transactions/s", "p50 ms", "p99 ms"),
                List.of(
                    CountTable.CountRow.of(
                        "ours",
                        heartbeatRate.sample().perSecond(),
                        heartbeatRate.transactions(),
                        heartbeatRate.sample().p50().toNanos() / 1e6,
                        heartbeatRate.sample().p99().toNanos() / 1e6))),
            new CountTable(
                "one sweep",
                List.of("rows fetched", "rows scanned", "blocks touched", "of table's blocks"),
                List.of(
                    row("nothing due", quiet, blocks), row("bots fallen silent", ending, blocks)))),
        List.of(
            "every heartbeat was answered 200, every start 201",
            "no sweep read the table from one end to the other",
            "the bots that fell silent were ended"),
        List.of(
            MeasurementGoal.atMost(
                "transactions a second for heartbeats",
                heartbeatRate.transactions(),
                TRANSACTIONS_A_SECOND),
            MeasurementGoal.atMost(
                "rows that a sweep fetches beside the live bots, nothing due",
                quiet.rows() - live,
                READS_BESIDE_LIVE),
            MeasurementGoal.atMost("p99 of a start, of a bare insert", ofBare(starts), OF_BARE)),
        wrong);
  }

  private static double ofBare(RateTable starts) {
    return starts.named("ours").median(measuredSample -> measuredSample.p99().toNanos())
        / starts.named("bare insert").median(measuredSample -> measuredSample.p99().toNanos());
  }

  private static CountTable.CountRow row(
      String name, SweepCost.SweepReads sweepReads, long blocks) {
    return CountTable.CountRow.of(
        name,
        sweepReads.rows(),
        sweepReads.scanned(),
        sweepReads.blocks(),
        sweepReads.blocks() / Math.max(1, blocks));
  }

  /** Heartbeats and the transactions that they took each second. */
  private record HeartbeatRate(MeasuredSample sample, double transactions) {}

  private static HeartbeatRate heartbeats(
      BenchEnvironment environment, LiveBots bots, int live, Duration span) throws Exception {
    double perSecond = (double) live / HEARTBEAT.toSeconds();
    try (ServerCandidate ours = environment.startServer("heartbeats", "api,bots", Map.of())) {
      int number = (int) (perSecond * span.toSeconds()) + 1;
      MeasuredSample _ = drive(bots, ours, perSecond, Duration.ofSeconds(2));
      HttpRequestBytes requests = bots.heartbeats(ours.url(), number);
      settle();
      long before = environment.transactions();
      long begun = System.nanoTime();
      MeasuredSample measuredSample = ours.drive(CONNECTIONS, perSecond, requests, span);
      double seconds = (System.nanoTime() - begun) / 1e9;
      settle();
      return new HeartbeatRate(measuredSample, (environment.transactions() - before) / seconds);
    }
  }

  /** Waits until idle connections have reported their transactions to Postgres. */
  private static void settle() {
    LockSupport.parkNanos(Duration.ofSeconds(3).toNanos());
  }

  private static MeasuredSample drive(
      LiveBots bots, ServerCandidate ours, double perSecond, Duration span) throws Exception {
    HttpRequestBytes requests =
        bots.heartbeats(ours.url(), (int) (perSecond * span.toSeconds()) + 1);
    return ours.drive(CONNECTIONS, perSecond, requests, span);
  }

  private static RateTable starts(
      BenchEnvironment environment, BenchSettings settings, List<String> keys) throws Exception {
    try (ServerCandidate ours = environment.startServer("starts", "api", Map.of());
        BareInsert bare = new BareInsert(environment, CALLERS)) {
      for (int i = 0; i < WARM_UPS; i++) {
        MeasuredSample _ = start(environment, ours, keys, settings.warmUp());
      }
      MeasuredSample _ = bare.drive(settings.warmUp().dividedBy(4));
      return new RateTable(
          CALLERS + " callers",
          InterleavedRounds.interleaved(
              settings.rounds(),
              List.of("bare insert", "ours"),
              name -> name,
              (name, _) ->
                  name.equals("ours")
                      ? start(environment, ours, keys, settings.span())
                      : bare.drive(settings.span())));
    }
  }

  /** Every caller starts one bot after the other, each in a meeting of its own. */
  private static MeasuredSample start(
      BenchEnvironment environment, ServerCandidate ours, List<String> keys, Duration span)
      throws Exception {
    environment.run("delete from convoke.meetings");
    List<HttpRequestBytes> callers =
        keys.stream()
            .map(key -> starts(ours.url(), key, (int) span.toMillis() * 3 / keys.size()))
            .toList();
    MeasuredSample measuredSample = ours.drive(callers, span);
    if (measuredSample.failures() > 0) {
      throw new IllegalStateException(measuredSample.failures() + " starts were not answered 201");
    }
    return measuredSample;
  }

  private static HttpRequestBytes starts(URI url, String key, int number) {
    byte[][] requests = new byte[number][];
    for (int i = 0; i < requests.length; i++) {
      requests[i] =
          HttpRequestBytes.post(
              url,
              "/bots/start",
              "{\"platform\":\"daily\",\"native_meeting_id\":\"%s\"}"
                  .formatted(UUID.randomUUID())
                  .getBytes(StandardCharsets.US_ASCII),
              "X-API-Key: " + key);
    }
    return new HttpRequestBytes(requests);
  }
}

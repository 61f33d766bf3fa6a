package io.convoke.bench.presence;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.MachineDescription;
import io.convoke.bench.report.MeasurementGoal;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.TempFolder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** What many active meetings cost when few of them change: the server beside the seed's loop. */
public final class PresenceBenchmark implements Benchmark {
  private static final int CHANGED_PART = 100;

  /** With fewer meetings it only shows that it runs: short intervals, few events. */
  private static final int WHOLE_FROM = 10_000;

  private static final int EVENTS = 600;
  private static final int EVENTS_FEW = 20;
  private static final int LATENCY_ROOMS = 200;

  /** The seed's worker looks each 1 to 5 s; here the least often that it allows. */
  private static final int LOOKS = 6;

  private static final int TICKS = 2;
  private static final double OF_CALLS = 1.0 / 50;
  private static final double OF_TRANSACTIONS = 1.0 / 20;
  private static final double P50_MILLIS = 5;
  private static final double P99_MILLIS = 25;
  private static final Duration SETTLED_MAX = Duration.ofMinutes(10);
  private static final Duration ROW_MAX = Duration.ofSeconds(30);

  /** Between two events of the latency part, so that one does not wait for another. */
  private static final long EVENT_GAP_NANOS = 50_000_000;

  /** Between two looks for the row; the time told is up to so much too long. */
  private static final long LOOK_NANOS = 300_000;

  /** Events before the clock counts, as many as a sixth of those that it counts. */
  private static final int WARM_UP_PART = 6;

  @Override
  public String name() {
    return "presence";
  }

  @Override
  public String summary() {
    return "many active meetings, few changes: calls and transactions beside the seed's loop";
  }

  /** What something cost. */
  private record PresenceCost(long calls, long transactions, long domain, long rooms) {
    CountTable.CountRow row(String name) {
      return CountTable.CountRow.of(name, calls, transactions, domain, rooms);
    }
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    int meetings = settings.active();
    int changed = meetings / CHANGED_PART;
    boolean whole = meetings >= WHOLE_FROM;
    Map<String, String> interval =
        Map.of("CONVOKE_PRESENCE_RECONCILE_INTERVAL", whole ? "30s" : "4s");
    try (TempFolder tempFolder = TempFolder.open("convoke-bench");
        FakeDaily platform = new FakeDaily(meetings);
        PresenceTestEnvironment presenceTestEnvironment =
            new PresenceTestEnvironment(tempFolder.folder(), platform)) {
      progress.report(
          "machine  "
              + MachineDescription.ofThis()
                  .with("Postgres " + presenceTestEnvironment.postgresVersion())
                  .line());
      presenceTestEnvironment.fill(meetings);
      progress.report("filled   %,d active meetings, one person each".formatted(meetings));
      PresenceCost quiet;
      PresenceCost busy;
      long before = presenceTestEnvironment.transactions();
      try (JavaProcess ours =
          presenceTestEnvironment.startServer("ours", "api,presence", true, interval)) {
        settle(presenceTestEnvironment, meetings);
        ticks(platform, TICKS);
        settle(presenceTestEnvironment, meetings);
        CostMeter costMeter = new CostMeter(presenceTestEnvironment, platform);
        ticks(platform, TICKS);
        quiet = costMeter.cost();
        progress.report("quiet    " + quiet);
        costMeter = new CostMeter(presenceTestEnvironment, platform);
        for (int room = 0; room < changed; room++) {
          String _ = presenceTestEnvironment.join(ours.url(), room);
        }
        settle(presenceTestEnvironment, meetings);
        ticks(platform, 1);
        int _ = ours.stop();
        // Only now has the database heard of everything that its connections did.
        busy = costMeter.cost();
        progress.report("busy     " + busy);
      }
      long all = presenceTestEnvironment.transactions() - before;
      require(presenceTestEnvironment.present(), meetings + changed, "after ours");
      PresenceCost seeds = seed(presenceTestEnvironment, platform, meetings, changed);
      progress.report("seed     " + seeds);
      require(presenceTestEnvironment.present(), meetings + 2L * changed, "after the seed's loop");
      List<Double> millis = latency(presenceTestEnvironment, settings, interval);
      return new BenchmarkReport(
          name(),
          "%,d active meetings, %,d of them change".formatted(meetings, changed),
          List.of(),
          List.of(
              new CountTable(
                  "cost",
                  List.of("Redis calls", "transactions", "calls for all", "calls for a room"),
                  List.of(
                      seeds.row("seed, one interval"),
                      busy.row("ours, until all is proven"),
                      quiet.row("ours, " + TICKS + " ticks, no change"))),
              new CountTable(
                  "webhook to row, window 0",
                  List.of("events", "p50 ms", "p99 ms", "most ms"),
                  List.of(
                      CountTable.CountRow.of(
                          "ours",
                          millis.size(),
                          share(millis, 0.5),
                          share(millis, 0.99),
                          share(millis, 1))))),
          List.of(
              "after ours and after the seed's loop every newcomer was in the rows",
              "ours, its start included, took %,d transactions".formatted(all)),
          List.of(
              MeasurementGoal.atMost(
                  "Redis calls, ours / seed", ratio(busy.calls(), seeds.calls()), OF_CALLS),
              MeasurementGoal.atMost(
                  "transactions, ours / seed",
                  ratio(busy.transactions(), seeds.transactions()),
                  OF_TRANSACTIONS),
              MeasurementGoal.atMost(
                  "upstream calls a tick, no change",
                  ratio(quiet.domain() + quiet.rooms(), TICKS),
                  1),
              MeasurementGoal.atMost("webhook to row, p50 ms", share(millis, 0.5), P50_MILLIS),
              MeasurementGoal.atMost("webhook to row, p99 ms", share(millis, 0.99), P99_MILLIS)),
          List.of());
    }
  }

  /** Counts from its making on. */
  private static final class CostMeter {
    private final PresenceTestEnvironment presenceTestEnvironment;
    private final FakeDaily platform;
    private final PresenceCost start;

    CostMeter(PresenceTestEnvironment presenceTestEnvironment, FakeDaily platform)
        throws SQLException {
      this.presenceTestEnvironment = presenceTestEnvironment;
      this.platform = platform;
      this.start = now();
    }

    PresenceCost cost() throws SQLException {
      PresenceCost end = now();
      return new PresenceCost(
          end.calls() - start.calls(),
          end.transactions() - start.transactions(),
          end.domain() - start.domain(),
          end.rooms() - start.rooms());
    }

    private PresenceCost now() throws SQLException {
      return new PresenceCost(
          presenceTestEnvironment.relayed(),
          presenceTestEnvironment.transactions(),
          platform.domainCalls(),
          platform.roomCalls());
    }
  }

  /** Until the map is whole and nothing is due. */
  private static void settle(PresenceTestEnvironment presenceTestEnvironment, int meetings) {
    PresenceTestEnvironment.await(
        "quiet",
        SETTLED_MAX,
        () ->
            presenceTestEnvironment.redis().hlen("convoke:rooms") == meetings
                && presenceTestEnvironment.redis().exists("convoke:presence:generation") == 1
                && presenceTestEnvironment.redis().zcard("convoke:ready") == 0);
  }

  private static void ticks(FakeDaily platform, int number) {
    long from = platform.domainCalls();
    PresenceTestEnvironment.await(
        "a tick", SETTLED_MAX, () -> platform.domainCalls() >= from + number);
  }

  /** One interval of the seed: the timer once, looks, and as many changes as ours had. */
  private static PresenceCost seed(
      PresenceTestEnvironment presenceTestEnvironment,
      FakeDaily platform,
      int meetings,
      int changed)
      throws Exception {
    String _ = presenceTestEnvironment.redis().flushall();
    long transactions = presenceTestEnvironment.transactions();
    long rooms = platform.roomCalls();
    long commands = presenceTestEnvironment.commands();
    try (ReferencePollLoop seed =
        new ReferencePollLoop(
            presenceTestEnvironment.redisUrl(), presenceTestEnvironment::connect, platform)) {
      seed.timer();
      for (int look = 0; look < LOOKS; look++) {
        List<Integer> moved = new ArrayList<>();
        for (int room = look; room < changed; room += LOOKS) {
          platform.join(meetings - 1 - room, "seed-newcomer-" + room);
          moved.add(meetings - 1 - room);
        }
        seed.webhooks(moved);
        seed.pollOnce();
      }
    }
    return new PresenceCost(
        presenceTestEnvironment.commands() - commands,
        presenceTestEnvironment.transactions() - transactions,
        0,
        platform.roomCalls() - rooms);
  }

  private static void require(long present, long wanted, String when) {
    if (present != wanted) {
      throw new IllegalStateException(
          "%s %d people are in the rows, %d are there".formatted(when, present, wanted));
    }
  }

  /** From the webhook's request to its row, with the coalescing window at 0. */
  private static List<Double> latency(
      PresenceTestEnvironment presenceTestEnvironment,
      BenchSettings settings,
      Map<String, String> interval)
      throws Exception {
    String _ = presenceTestEnvironment.redis().flushall();
    int rooms = Math.min(settings.active(), LATENCY_ROOMS);
    presenceTestEnvironment.keepOnly(rooms);
    int events = settings.active() >= WHOLE_FROM ? EVENTS : EVENTS_FEW;
    int warmUp = events / WARM_UP_PART;
    Map<String, String> terms = new HashMap<>(interval);
    terms.put("CONVOKE_PRESENCE_COALESCE_WINDOW", "0ms");
    List<Double> millis = new ArrayList<>();
    try (JavaProcess ours =
            presenceTestEnvironment.startServer("latency", "api,presence", false, terms);
        Connection connection = presenceTestEnvironment.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                """
                select 1 from convoke.participant_sessions where meeting_id = (
                  select id from convoke.meetings
                  where platform = 'daily' and platform_specific_id = ? and status = 'active')
                and session_id = ?
                """)) {
      settle(presenceTestEnvironment, rooms);
      for (int i = 0; i < warmUp + events; i++) {
        long begun = System.nanoTime();
        statement.setString(1, FakeDaily.room(i % rooms));
        statement.setString(2, presenceTestEnvironment.join(ours.url(), i % rooms));
        while (!found(statement)) {
          // Looking without a pause would take the processor that is measured.
          LockSupport.parkNanos(LOOK_NANOS);
          if (System.nanoTime() - begun > ROW_MAX.toNanos()) {
            throw new IllegalStateException("no row for a webhook within " + ROW_MAX);
          }
        }
        long ended = System.nanoTime();
        if (i >= warmUp) {
          millis.add((ended - begun) / 1e6);
        }
        LockSupport.parkNanos(EVENT_GAP_NANOS);
      }
    }
    return millis;
  }

  private static boolean found(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next();
    }
  }

  private static double share(List<Double> all, double share) {
    List<Double> sorted = all.stream().sorted().toList();
    return sorted.get((int) Math.max(0, Math.ceil(share * sorted.size()) - 1));
  }

  private static double ratio(long one, long other) {
    return (double) one / other;
  }
}

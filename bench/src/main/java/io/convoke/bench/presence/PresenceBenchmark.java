package io.convoke.bench.presence;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.load.ServerCandidate;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.MeasurementGoal;
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
import org.HdrHistogram.Histogram;

/** The cost of many active meetings of which few change: the server beside the reference loop. */
public final class PresenceBenchmark implements Benchmark {
  private static final int CHANGED_PART = 100;

  /** With fewer meetings it only shows that it runs: short intervals, few events. */
  private static final int WHOLE_FROM = 10_000;

  private static final int EVENTS = 600;
  private static final int EVENTS_FEW = 20;
  private static final int LATENCY_ROOMS = 200;

  /** The reference polls each 1 to 5 s; here as rarely as that allows. */
  private static final int POLLS = 6;

  private static final int TICKS = 2;
  private static final double OF_CALLS = 1.0 / 50;
  private static final double OF_TRANSACTIONS = 1.0 / 20;
  private static final double P50_MILLIS = 5;
  private static final double P99_MILLIS = 25;
  private static final Duration SETTLED_MAX = Duration.ofMinutes(10);
  private static final Duration ROW_MAX = Duration.ofSeconds(30);

  /** Between two events of the latency part, so that one does not wait for another. */
  private static final long EVENT_GAP_NANOS = 50_000_000;

  /** Between two queries for the row; the reported time is too long by at most this. */
  private static final long QUERY_GAP_NANOS = 300_000;

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

  /** Calls to Redis and to the platform, and transactions. */
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
    try (FakeDaily platform = new FakeDaily(meetings);
        BenchEnvironment environment = BenchEnvironment.open("-Xmx1g");
        PresenceMeetings presence = new PresenceMeetings(environment, platform, meetings)) {
      progress.report(environment.machine());
      progress.report("filled   %,d active meetings, one person each".formatted(meetings));
      PresenceCost quiet;
      PresenceCost busy;
      long before = environment.transactions();
      try (ServerCandidate ours = presence.startCountedServer("ours", "api,presence", interval)) {
        settle(environment, meetings);
        ticks(platform, TICKS);
        settle(environment, meetings);
        CostMeter costMeter = new CostMeter(environment, presence, platform);
        ticks(platform, TICKS);
        quiet = costMeter.cost();
        progress.report("quiet    " + quiet);
        costMeter = new CostMeter(environment, presence, platform);
        for (int room = 0; room < changed; room++) {
          String _ = presence.join(ours.url(), room);
        }
        settle(environment, meetings);
        ticks(platform, 1);
        int _ = ours.process().stop();
        // A connection reports its last transactions to Postgres when it closes.
        busy = costMeter.cost();
        progress.report("busy     " + busy);
      }
      long all = environment.transactions() - before;
      require(presence.openSessions(), meetings + changed, "after ours");
      PresenceCost seeds = seed(environment, presence, platform, meetings, changed);
      progress.report("seed     " + seeds);
      require(presence.openSessions(), meetings + 2L * changed, "after the seed's loop");
      Histogram latency = latency(environment, presence, settings, interval);
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
                          latency.getTotalCount(),
                          millis(latency, 50),
                          millis(latency, 99),
                          millis(latency, 100))))),
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
              MeasurementGoal.atMost("webhook to row, p50 ms", millis(latency, 50), P50_MILLIS),
              MeasurementGoal.atMost("webhook to row, p99 ms", millis(latency, 99), P99_MILLIS)),
          List.of());
    }
  }

  /** Counts from its construction on. */
  private static final class CostMeter {
    private final BenchEnvironment environment;
    private final PresenceMeetings presence;
    private final FakeDaily platform;
    private final PresenceCost start;

    CostMeter(BenchEnvironment environment, PresenceMeetings presence, FakeDaily platform)
        throws SQLException {
      this.environment = environment;
      this.presence = presence;
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
          presence.commandsSent(),
          environment.transactions(),
          platform.domainCalls(),
          platform.roomCalls());
    }
  }

  /** Waits until the map of rooms is complete and no poll is due. */
  private static void settle(BenchEnvironment environment, int meetings) {
    BenchEnvironment.await(
        "quiet",
        SETTLED_MAX,
        () ->
            environment.redis().hlen("convoke:rooms") == meetings
                && environment.redis().exists("convoke:presence:generation") == 1
                && environment.redis().zcard("convoke:ready") == 0);
  }

  private static void ticks(FakeDaily platform, int number) {
    long from = platform.domainCalls();
    BenchEnvironment.await("a tick", SETTLED_MAX, () -> platform.domainCalls() >= from + number);
  }

  /** One interval of the reference loop: the timer once, polls, and as many changes as ours. */
  private static PresenceCost seed(
      BenchEnvironment environment,
      PresenceMeetings presence,
      FakeDaily platform,
      int meetings,
      int changed)
      throws Exception {
    String _ = environment.redis().flushall();
    long transactions = environment.transactions();
    long rooms = platform.roomCalls();
    long commands = presence.commandsRun();
    try (ReferencePollLoop seed =
        new ReferencePollLoop(environment.redisUrl(), environment::connect, platform)) {
      seed.timer();
      for (int poll = 0; poll < POLLS; poll++) {
        List<Integer> moved = new ArrayList<>();
        for (int room = poll; room < changed; room += POLLS) {
          platform.join(meetings - 1 - room, "seed-newcomer-" + room);
          moved.add(meetings - 1 - room);
        }
        seed.webhooks(moved);
        seed.pollOnce();
      }
    }
    return new PresenceCost(
        presence.commandsRun() - commands,
        environment.transactions() - transactions,
        0,
        platform.roomCalls() - rooms);
  }

  private static void require(long present, long wanted, String when) {
    if (present != wanted) {
      throw new IllegalStateException(
          "%s the rows have %d participants, the rooms %d".formatted(when, present, wanted));
    }
  }

  /** From the webhook's request to its row, with the coalescing window at 0. */
  private static Histogram latency(
      BenchEnvironment environment,
      PresenceMeetings presence,
      BenchSettings settings,
      Map<String, String> interval)
      throws Exception {
    String _ = environment.redis().flushall();
    int rooms = Math.min(settings.active(), LATENCY_ROOMS);
    presence.keepOnly(rooms);
    int events = settings.active() >= WHOLE_FROM ? EVENTS : EVENTS_FEW;
    int warmUp = events / WARM_UP_PART;
    Map<String, String> unbatched = new HashMap<>(interval);
    unbatched.put("CONVOKE_PRESENCE_COALESCE_WINDOW", "0ms");
    Histogram nanos = MeasuredSample.histogram();
    try (ServerCandidate ours = presence.startServer("latency", "api,presence", unbatched);
        Connection connection = environment.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                """
                select 1 from convoke.participant_sessions where meeting_id = (
                  select id from convoke.meetings
                  where platform = 'daily' and platform_specific_id = ? and status = 'active')
                and session_id = ?
                """)) {
      settle(environment, rooms);
      for (int i = 0; i < warmUp + events; i++) {
        long begun = System.nanoTime();
        statement.setString(1, FakeDaily.room(i % rooms));
        statement.setString(2, presence.join(ours.url(), i % rooms));
        while (!found(statement)) {
          // A query without a pause would take the processor that is measured.
          LockSupport.parkNanos(QUERY_GAP_NANOS);
          if (System.nanoTime() - begun > ROW_MAX.toNanos()) {
            throw new IllegalStateException("no row for a webhook within " + ROW_MAX);
          }
        }
        long ended = System.nanoTime();
        if (i >= warmUp) {
          nanos.recordValue(ended - begun);
        }
        LockSupport.parkNanos(EVENT_GAP_NANOS);
      }
    }
    return nanos;
  }

  private static boolean found(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next();
    }
  }

  private static double millis(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e6;
  }

  private static double ratio(long one, long other) {
    return (double) one / other;
  }
}

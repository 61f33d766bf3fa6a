package io.convoke.bench.presence;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.report.Counts;
import io.convoke.bench.report.Goal;
import io.convoke.bench.report.Machine;
import io.convoke.bench.report.Report;
import io.convoke.lab.child.JavaProcess;
import io.convoke.lab.child.Scratch;
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
  private record Cost(long calls, long transactions, long domain, long rooms) {
    Counts.Row row(String name) {
      return Counts.Row.of(name, calls, transactions, domain, rooms);
    }
  }

  @Override
  public Report run(BenchSettings settings, Progress progress) throws Exception {
    int meetings = settings.active();
    int changed = meetings / CHANGED_PART;
    boolean whole = meetings >= WHOLE_FROM;
    Map<String, String> interval =
        Map.of("CONVOKE_PRESENCE_RECONCILE_INTERVAL", whole ? "30s" : "4s");
    try (Scratch scratch = Scratch.open("convoke-bench");
        StandIn platform = new StandIn(meetings);
        House house = new House(scratch.folder(), platform)) {
      progress.say(
          "machine  " + Machine.ofThis().with("Postgres " + house.postgresVersion()).line());
      house.fill(meetings);
      progress.say("filled   %,d active meetings, one person each".formatted(meetings));
      Cost quiet;
      Cost busy;
      long before = house.transactions();
      try (JavaProcess ours = house.serve("ours", "api,presence", true, interval)) {
        settle(house, meetings);
        ticks(platform, TICKS);
        settle(house, meetings);
        Meter meter = new Meter(house, platform);
        ticks(platform, TICKS);
        quiet = meter.cost();
        progress.say("quiet    " + quiet);
        meter = new Meter(house, platform);
        for (int room = 0; room < changed; room++) {
          String _ = house.join(ours.url(), room);
        }
        settle(house, meetings);
        ticks(platform, 1);
        int _ = ours.stop();
        // Only now has the database heard of everything that its connections did.
        busy = meter.cost();
        progress.say("busy     " + busy);
      }
      long all = house.transactions() - before;
      require(house.present(), meetings + changed, "after ours");
      Cost seeds = seed(house, platform, meetings, changed);
      progress.say("seed     " + seeds);
      require(house.present(), meetings + 2L * changed, "after the seed's loop");
      List<Double> millis = latency(house, settings, interval);
      return new Report(
          name(),
          "%,d active meetings, %,d of them change".formatted(meetings, changed),
          List.of(),
          List.of(
              new Counts(
                  "cost",
                  List.of("Redis calls", "transactions", "calls for all", "calls for a room"),
                  List.of(
                      seeds.row("seed, one interval"),
                      busy.row("ours, until all is proven"),
                      quiet.row("ours, " + TICKS + " ticks, no change"))),
              new Counts(
                  "webhook to row, window 0",
                  List.of("events", "p50 ms", "p99 ms", "most ms"),
                  List.of(
                      Counts.Row.of(
                          "ours",
                          millis.size(),
                          share(millis, 0.5),
                          share(millis, 0.99),
                          share(millis, 1))))),
          List.of(
              "after ours and after the seed's loop every newcomer was in the rows",
              "ours, its start included, took %,d transactions".formatted(all)),
          List.of(
              Goal.atMost("Redis calls, ours / seed", ratio(busy.calls(), seeds.calls()), OF_CALLS),
              Goal.atMost(
                  "transactions, ours / seed",
                  ratio(busy.transactions(), seeds.transactions()),
                  OF_TRANSACTIONS),
              Goal.atMost(
                  "upstream calls a tick, no change",
                  ratio(quiet.domain() + quiet.rooms(), TICKS),
                  1),
              Goal.atMost("webhook to row, p50 ms", share(millis, 0.5), P50_MILLIS),
              Goal.atMost("webhook to row, p99 ms", share(millis, 0.99), P99_MILLIS)),
          List.of());
    }
  }

  /** Counts from its making on. */
  private static final class Meter {
    private final House house;
    private final StandIn platform;
    private final Cost start;

    Meter(House house, StandIn platform) throws SQLException {
      this.house = house;
      this.platform = platform;
      this.start = now();
    }

    Cost cost() throws SQLException {
      Cost end = now();
      return new Cost(
          end.calls() - start.calls(),
          end.transactions() - start.transactions(),
          end.domain() - start.domain(),
          end.rooms() - start.rooms());
    }

    private Cost now() throws SQLException {
      return new Cost(
          house.relayed(), house.transactions(), platform.domainCalls(), platform.roomCalls());
    }
  }

  /** Until the map is whole and nothing is due. */
  private static void settle(House house, int meetings) {
    House.await(
        "quiet",
        SETTLED_MAX,
        () ->
            house.redis().hlen("convoke:rooms") == meetings
                && house.redis().exists("convoke:presence:generation") == 1
                && house.redis().zcard("convoke:ready") == 0);
  }

  private static void ticks(StandIn platform, int number) {
    long from = platform.domainCalls();
    House.await("a tick", SETTLED_MAX, () -> platform.domainCalls() >= from + number);
  }

  /** One interval of the seed: the timer once, looks, and as many changes as ours had. */
  private static Cost seed(House house, StandIn platform, int meetings, int changed)
      throws Exception {
    String _ = house.redis().flushall();
    long transactions = house.transactions();
    long rooms = platform.roomCalls();
    long commands = house.commands();
    try (SeedLoop seed = new SeedLoop(house.redisUrl(), house::connect, platform)) {
      seed.timer();
      for (int look = 0; look < LOOKS; look++) {
        List<Integer> moved = new ArrayList<>();
        for (int room = look; room < changed; room += LOOKS) {
          platform.join(meetings - 1 - room, "seed-newcomer-" + room);
          moved.add(meetings - 1 - room);
        }
        seed.webhooks(moved);
        seed.look();
      }
    }
    return new Cost(
        house.commands() - commands,
        house.transactions() - transactions,
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
      House house, BenchSettings settings, Map<String, String> interval) throws Exception {
    String _ = house.redis().flushall();
    int rooms = Math.min(settings.active(), LATENCY_ROOMS);
    house.keepOnly(rooms);
    int events = settings.active() >= WHOLE_FROM ? EVENTS : EVENTS_FEW;
    int warmUp = events / WARM_UP_PART;
    Map<String, String> terms = new HashMap<>(interval);
    terms.put("CONVOKE_PRESENCE_COALESCE_WINDOW", "0ms");
    List<Double> millis = new ArrayList<>();
    try (JavaProcess ours = house.serve("latency", "api,presence", false, terms);
        Connection connection = house.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                """
                select 1 from convoke.participant_sessions where meeting_id = (
                  select id from convoke.meetings
                  where platform = 'daily' and platform_specific_id = ? and status = 'active')
                and session_id = ?
                """)) {
      settle(house, rooms);
      for (int i = 0; i < warmUp + events; i++) {
        long begun = System.nanoTime();
        statement.setString(1, StandIn.room(i % rooms));
        statement.setString(2, house.join(ours.url(), i % rooms));
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

package io.convoke.lab.chaos.sync;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import io.convoke.lab.chaos.sync.verdict.Entry;
import io.convoke.lab.chaos.sync.verdict.MeetingHistory;
import io.convoke.lab.chaos.sync.verdict.Op;
import io.convoke.lab.chaos.sync.verdict.Outages;
import io.convoke.lab.chaos.sync.verdict.SyncChecker;
import io.convoke.lab.stores.Postgres;
import io.convoke.lab.stores.RedisServer;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** One run: the storm, then quiet until all servers show what the rows say, then the verdict. */
final class Run {
  static final int MEETINGS = 48;

  /** Of each server. */
  static final int CALLERS = 64;

  private static final Duration CONVERGES = Duration.ofSeconds(15);

  /** Servers find a store again within this. */
  private static final Duration RECONNECT = Duration.ofSeconds(2);

  private static final Duration LOOK_EVERY = Duration.ofMillis(50);

  private final long seed;
  private final Duration storm;
  private final List<Step> plan;
  private final Ground ground;
  private final Fleet fleet;
  private final List<String> meetings;
  private final List<List<Op>> logs = new ArrayList<>();
  private final List<Outages.Span> redisAway = new ArrayList<>();
  private final List<Outages.Span> outages = new ArrayList<>();
  private long lasted;

  Run(long seed, Duration storm, List<Step> plan, Ground ground, Fleet fleet) {
    this.seed = seed;
    this.storm = storm;
    this.plan = plan;
    this.ground = ground;
    this.fleet = fleet;
    this.meetings = IntStream.range(0, MEETINGS).mapToObj(i -> "chaos:" + seed + ":" + i).toList();
  }

  Verdict carryOut(Path folder) throws Exception {
    meetings.forEach(_ -> logs.add(new ArrayList<>()));
    List<Caller> callers = storm();
    Postgres postgres = ground.stores().postgres();
    long quiet = System.nanoTime();
    List<Finding> findings = new ArrayList<>();
    Map<String, Long> versions;
    Optional<Finding> late;
    try (Connection connection = postgres.connect(fleet.database())) {
      late = awaitAgreement(connection, quiet);
      versions = Rows.versions(connection);
    }
    late.ifPresent(findings::add);
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    callers.forEach(
        caller ->
            caller.surprises().stream()
                .limit(5)
                .forEach(text -> findings.add(new Finding(Kind.REFUSED, text))));
    Sum sum = check(versions, findings);
    return new Verdict(
        seed,
        Math.toIntExact(sum.operations),
        late.isEmpty() ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        List.of(
            sum.regressions + " regressions",
            sum.wrong + " wrong reads",
            "late by at most %.1f ms, marked as stale %.1f ms"
                .formatted(sum.staleNanos / 1e6, sum.markedNanos / 1e6)),
        List.of(notes(callers, sum)),
        folder);
  }

  private List<Caller> storm() throws InterruptedException {
    AtomicBoolean goesOn = new AtomicBoolean(true);
    AtomicLong ids = new AtomicLong();
    SplittableRandom random = new SplittableRandom(seed);
    List<URI> urls = fleet.urls();
    List<Caller> callers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CALLERS * urls.size(); i++) {
      int server = i % urls.size();
      Caller caller =
          new Caller(
              urls.get(server),
              fleet.internalToken(),
              meetings,
              logs,
              random.split(),
              ids,
              () -> fleet.node(server),
              goesOn::get);
      callers.add(caller);
      threads.add(Thread.ofPlatform().name("caller-" + i).start(caller));
    }
    long start = System.nanoTime();
    try {
      for (Step step : plan) {
        // What comes back slowly makes the rest late; the storm does not last longer for it.
        if (System.nanoTime() - start < storm.toNanos()) {
          disturb(step, start);
        }
      }
      awaitTime(storm, start);
    } finally {
      goesOn.set(false);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    lasted = System.nanoTime() - start;
    return callers;
  }

  private void disturb(Step step, long start) {
    awaitTime(step.at(), start);
    RedisServer redis = ground.stores().redis();
    Postgres postgres = ground.stores().postgres();
    switch (step) {
      case Step.RedisForgets _ -> {
        long began = System.nanoTime();
        redis.flush();
        outages.add(new Outages.Span(began, System.nanoTime()));
      }
      case Step.RedisAway(Duration _, Duration down, boolean killed) -> {
        long began = System.nanoTime();
        if (killed) {
          redis.kill();
        } else {
          redis.stop();
        }
        redisAway(down);
        redis.restart();
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case Step.RedisHangs(Duration _, Duration span) -> {
        long began = System.nanoTime();
        redis.pause(true);
        redisAway(span);
        redis.pause(false);
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case Step.PostgresAway(Duration _, Duration down, boolean killed) -> {
        long began = System.nanoTime();
        if (killed) {
          postgres.kill();
        } else {
          postgres.stop();
        }
        park(down);
        postgres.restart();
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case Step.PostgresHangs(Duration _, Duration span) -> {
        long began = System.nanoTime();
        postgres.pause(true);
        park(span);
        postgres.pause(false);
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case Step.BothAway(Duration _, Duration redisDown, Duration postgresDown) -> {
        long began = System.nanoTime();
        redis.stop();
        redisAway(redisDown);
        postgres.stop();
        redis.restart();
        park(postgresDown);
        postgres.restart();
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case Step.ServerHangs(Duration _, int server, Duration span) -> {
        fleet.pause(server, true);
        park(span);
        fleet.pause(server, false);
      }
      case Step.ServerDies(Duration _, int server, Duration down) -> {
        fleet.kill(server);
        park(down);
        fleet.restart(server);
      }
    }
  }

  /** Leaves Redis away for this long, and notes when it was. */
  private void redisAway(Duration span) {
    long began = System.nanoTime();
    park(span);
    redisAway.add(new Outages.Span(began, System.nanoTime()));
  }

  /** Waits until every server shows every meeting as its row is. */
  private Optional<Finding> awaitAgreement(Connection connection, long quiet) throws SQLException {
    List<String> differences = new ArrayList<>();
    do {
      differences.clear();
      Map<String, Long> versions = Rows.versions(connection);
      for (URI url : fleet.urls()) {
        try (Wire wire = new Wire(url, fleet.internalToken())) {
          for (Map.Entry<String, Long> row : versions.entrySet()) {
            difference(wire, row.getKey(), row.getValue())
                .ifPresent(text -> differences.add(url + " " + text));
          }
        }
      }
      if (differences.isEmpty()) {
        return Optional.empty();
      }
      park(LOOK_EVERY);
    } while (System.nanoTime() - quiet < CONVERGES.toNanos());
    return Optional.of(
        new Finding(
            Kind.NOT_CONVERGED,
            "after " + CONVERGES + ": " + differences.stream().limit(5).toList()));
  }

  private static Optional<String> difference(Wire wire, String meeting, long version) {
    Optional<Wire.Answer> answer = wire.read(meeting, 0);
    if (answer.isEmpty() || answer.get().status() != 200) {
      return Optional.of(meeting + " was answered " + answer);
    }
    Shown shown = Shown.of(answer.get().body());
    return shown.version() == version && !shown.stale()
        ? Optional.empty()
        : Optional.of(meeting + " is version " + version + " and shown as " + shown);
  }

  /** What came out of all meetings. */
  private record Sum(
      long operations,
      long updates,
      int regressions,
      int wrong,
      long staleNanos,
      long markedNanos,
      long stale) {}

  private Sum check(Map<String, Long> versions, List<Finding> findings) throws SQLException {
    Map<String, List<Entry>> journal;
    try (Connection connection = ground.stores().postgres().connect(fleet.database())) {
      journal = Rows.journal(connection);
    }
    Sum sum = new Sum(0, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < meetings.size(); i++) {
      String name = meetings.get(i);
      List<Entry> entries = journal.getOrDefault(name, List.of());
      if (versions.getOrDefault(name, 0L) != entries.size()) {
        findings.add(
            new Finding(
                Kind.GAP,
                name
                    + " has a row of version "
                    + versions.get(name)
                    + " and a journal of "
                    + entries.size()));
      }
      SyncChecker.Result result =
          SyncChecker.check(
              new MeetingHistory(name, logs.get(i), entries),
              new Outages(Fleet.CACHE_TTL.toNanos(), redisAway, outages));
      findings.addAll(result.findings());
      sum =
          new Sum(
              sum.operations + result.operations(),
              sum.updates + entries.size(),
              sum.regressions + result.regressions(),
              sum.wrong + result.wrong(),
              Math.max(sum.staleNanos, result.staleNanos()),
              Math.max(sum.markedNanos, result.markedNanos()),
              sum.stale + result.markedReads());
    }
    return sum;
  }

  private String notes(List<Caller> callers, Sum sum) {
    return "%d updates applied, %d reads marked stale, %d calls answered 503, %d not answered; %.0f operations a second"
        .formatted(
            sum.updates,
            sum.stale,
            callers.stream().mapToLong(Caller::refused).sum(),
            callers.stream().mapToLong(Caller::unanswered).sum(),
            sum.operations / (lasted / 1e9));
  }

  private static void awaitTime(Duration at, long start) {
    long left = at.toNanos() - (System.nanoTime() - start);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - start);
    }
  }

  private static void park(Duration span) {
    long end = System.nanoTime() + span.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}

package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import io.convoke.chaos.sync.rules.AppliedUpdate;
import io.convoke.chaos.sync.rules.LinearizabilityChecker;
import io.convoke.chaos.sync.rules.MeetingHistory;
import io.convoke.chaos.sync.rules.Outages;
import io.convoke.chaos.sync.rules.SyncCall;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.EmbeddedRedis;
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

/**
 * One run: the storm, then no faults until all servers show what the rows have; then checks the
 * history.
 */
final class SyncRun {
  static final int MEETINGS = 48;

  /** Calling threads per server. */
  static final int CALLERS = 64;

  private static final Duration CONVERGES = Duration.ofSeconds(15);

  /** Time for servers to reconnect to a store. */
  private static final Duration RECONNECT = Duration.ofSeconds(2);

  private static final Duration LOOK_EVERY = Duration.ofMillis(50);

  private final long seed;
  private final Duration faultPhase;
  private final List<SyncFault> plan;
  private final ChaosEnvironment chaosEnvironment;
  private final SyncServers syncServers;
  private final List<String> meetings;
  private final List<List<SyncCall>> logs = new ArrayList<>();
  private final List<Outages.Span> redisAway = new ArrayList<>();
  private final List<Outages.Span> outages = new ArrayList<>();
  private long lasted;

  SyncRun(
      long seed,
      Duration faultPhase,
      List<SyncFault> plan,
      ChaosEnvironment chaosEnvironment,
      SyncServers syncServers) {
    this.seed = seed;
    this.faultPhase = faultPhase;
    this.plan = plan;
    this.chaosEnvironment = chaosEnvironment;
    this.syncServers = syncServers;
    this.meetings = IntStream.range(0, MEETINGS).mapToObj(i -> "chaos:" + seed + ":" + i).toList();
  }

  RunReport carryOut(Path folder) throws Exception {
    meetings.forEach(_ -> logs.add(new ArrayList<>()));
    List<SyncCaller> callers = faultPhase();
    EmbeddedPostgres embeddedPostgres = chaosEnvironment.stores().postgres();
    long quiet = System.nanoTime();
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, Long> versions;
    Optional<RuleViolation> late;
    try (Connection connection = embeddedPostgres.connect(syncServers.database())) {
      late = awaitAgreement(connection, quiet);
      versions = SyncRows.versions(connection);
    }
    late.ifPresent(findings::add);
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    callers.forEach(
        syncCaller ->
            syncCaller.surprises().stream()
                .limit(5)
                .forEach(text -> findings.add(new RuleViolation(ViolationKind.REFUSED, text))));
    SyncRunTotals syncRunTotals = check(versions, findings);
    return new RunReport(
        seed,
        Math.toIntExact(syncRunTotals.operations),
        late.isEmpty() ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        List.of(
            syncRunTotals.regressions + " regressions",
            syncRunTotals.wrong + " wrong reads",
            "late by at most %.1f ms, marked as stale %.1f ms"
                .formatted(syncRunTotals.staleNanos / 1e6, syncRunTotals.markedNanos / 1e6)),
        List.of(notes(callers, syncRunTotals)),
        folder);
  }

  private List<SyncCaller> faultPhase() throws InterruptedException {
    AtomicBoolean goesOn = new AtomicBoolean(true);
    AtomicLong ids = new AtomicLong();
    SplittableRandom random = new SplittableRandom(seed);
    List<URI> urls = syncServers.urls();
    List<SyncCaller> callers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CALLERS * urls.size(); i++) {
      int server = i % urls.size();
      SyncCaller syncCaller =
          new SyncCaller(
              urls.get(server),
              syncServers.internalToken(),
              meetings,
              logs,
              random.split(),
              ids,
              () -> syncServers.node(server),
              goesOn::get);
      callers.add(syncCaller);
      threads.add(Thread.ofPlatform().name("caller-" + i).start(syncCaller));
    }
    long start = System.nanoTime();
    try {
      for (SyncFault syncFault : plan) {
        // A slow restart delays later faults; it does not extend the storm.
        if (System.nanoTime() - start < faultPhase.toNanos()) {
          injectFault(syncFault, start);
        }
      }
      awaitTime(faultPhase, start);
    } finally {
      goesOn.set(false);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    lasted = System.nanoTime() - start;
    return callers;
  }

  private void injectFault(SyncFault syncFault, long start) {
    awaitTime(syncFault.at(), start);
    EmbeddedRedis redis = chaosEnvironment.stores().redis();
    EmbeddedPostgres embeddedPostgres = chaosEnvironment.stores().postgres();
    switch (syncFault) {
      case SyncFault.RedisFlushed _ -> {
        long began = System.nanoTime();
        redis.flush();
        outages.add(new Outages.Span(began, System.nanoTime()));
      }
      case SyncFault.RedisDown(Duration _, Duration down, boolean killed) -> {
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
      case SyncFault.RedisHangs(Duration _, Duration span) -> {
        long began = System.nanoTime();
        redis.pause(true);
        redisAway(span);
        redis.pause(false);
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case SyncFault.PostgresDown(Duration _, Duration down, boolean killed) -> {
        long began = System.nanoTime();
        if (killed) {
          embeddedPostgres.kill();
        } else {
          embeddedPostgres.stop();
        }
        park(down);
        embeddedPostgres.restart();
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case SyncFault.PostgresHangs(Duration _, Duration span) -> {
        long began = System.nanoTime();
        embeddedPostgres.pause(true);
        park(span);
        embeddedPostgres.pause(false);
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case SyncFault.StoresDown(Duration _, Duration redisDown, Duration postgresDown) -> {
        long began = System.nanoTime();
        redis.stop();
        redisAway(redisDown);
        embeddedPostgres.stop();
        redis.restart();
        park(postgresDown);
        embeddedPostgres.restart();
        outages.add(new Outages.Span(began, System.nanoTime() + RECONNECT.toNanos()));
      }
      case SyncFault.ServerHangs(Duration _, int server, Duration span) -> {
        syncServers.pause(server, true);
        park(span);
        syncServers.pause(server, false);
      }
      case SyncFault.ServerDies(Duration _, int server, Duration down) -> {
        syncServers.kill(server);
        park(down);
        syncServers.restart(server);
      }
    }
  }

  /** Stops Redis for this long, and records the period. */
  private void redisAway(Duration span) {
    long began = System.nanoTime();
    park(span);
    redisAway.add(new Outages.Span(began, System.nanoTime()));
  }

  /** Waits until every server shows every meeting as in its row. */
  private Optional<RuleViolation> awaitAgreement(Connection connection, long quiet)
      throws SQLException {
    List<String> differences = new ArrayList<>();
    do {
      differences.clear();
      Map<String, Long> versions = SyncRows.versions(connection);
      for (URI url : syncServers.urls()) {
        try (RawHttpConnection rawHttpConnection =
            new RawHttpConnection(url, syncServers.internalToken())) {
          for (Map.Entry<String, Long> row : versions.entrySet()) {
            difference(rawHttpConnection, row.getKey(), row.getValue())
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
        new RuleViolation(
            ViolationKind.NOT_CONVERGED,
            "after " + CONVERGES + ": " + differences.stream().limit(5).toList()));
  }

  private static Optional<String> difference(
      RawHttpConnection rawHttpConnection, String meeting, long version) {
    Optional<RawHttpConnection.RawHttpResponse> answer = rawHttpConnection.read(meeting, 0);
    if (answer.isEmpty() || answer.get().status() != 200) {
      return Optional.of(meeting + " was answered " + answer);
    }
    ParsedSyncRecord parsedSyncRecord = ParsedSyncRecord.of(answer.get().body());
    return parsedSyncRecord.version() == version && !parsedSyncRecord.stale()
        ? Optional.empty()
        : Optional.of(meeting + " is version " + version + " and read as " + parsedSyncRecord);
  }

  /** Results of all meetings. */
  private record SyncRunTotals(
      long operations,
      long updates,
      int regressions,
      int wrong,
      long staleNanos,
      long markedNanos,
      long stale) {}

  private SyncRunTotals check(Map<String, Long> versions, List<RuleViolation> findings)
      throws SQLException {
    Map<String, List<AppliedUpdate>> journal;
    try (Connection connection =
        chaosEnvironment.stores().postgres().connect(syncServers.database())) {
      journal = SyncRows.journal(connection);
    }
    SyncRunTotals syncRunTotals = new SyncRunTotals(0, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < meetings.size(); i++) {
      String name = meetings.get(i);
      List<AppliedUpdate> entries = journal.getOrDefault(name, List.of());
      if (versions.getOrDefault(name, 0L) != entries.size()) {
        findings.add(
            new RuleViolation(
                ViolationKind.GAP,
                name
                    + " has a row of version "
                    + versions.get(name)
                    + " and a journal of "
                    + entries.size()));
      }
      LinearizabilityChecker.CheckResult checkResult =
          LinearizabilityChecker.check(
              new MeetingHistory(name, logs.get(i), entries),
              new Outages(SyncServers.CACHE_TTL.toNanos(), redisAway, outages));
      findings.addAll(checkResult.findings());
      syncRunTotals =
          new SyncRunTotals(
              syncRunTotals.operations + checkResult.operations(),
              syncRunTotals.updates + entries.size(),
              syncRunTotals.regressions + checkResult.regressions(),
              syncRunTotals.wrong + checkResult.wrong(),
              Math.max(syncRunTotals.staleNanos, checkResult.staleNanos()),
              Math.max(syncRunTotals.markedNanos, checkResult.markedNanos()),
              syncRunTotals.stale + checkResult.markedReads());
    }
    return syncRunTotals;
  }

  private String notes(List<SyncCaller> callers, SyncRunTotals syncRunTotals) {
    return "%d updates applied, %d reads marked stale, %d calls answered 503, %d not answered; %.0f operations a second"
        .formatted(
            syncRunTotals.updates,
            syncRunTotals.stale,
            callers.stream().mapToLong(SyncCaller::refused).sum(),
            callers.stream().mapToLong(SyncCaller::unanswered).sum(),
            syncRunTotals.operations / (lasted / 1e9));
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

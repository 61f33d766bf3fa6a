package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.chaos.sync.rules.AppliedUpdate;
import io.convoke.chaos.sync.rules.LinearizabilityChecker;
import io.convoke.chaos.sync.rules.MeetingHistory;
import io.convoke.chaos.sync.rules.Outages;
import io.convoke.chaos.sync.rules.ShownRecords;
import io.convoke.chaos.sync.rules.SyncCall;
import io.convoke.chaos.sync.rules.WriteDeadlineRule;
import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.stores.EmbeddedPostgres;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One run: the storm, then no faults until all servers show what the rows have; then checks the
 * history.
 */
final class SyncRun {
  static final int MEETINGS = 48;

  /** Calling threads per server. */
  static final int CALLERS = 64;

  /** One in this many only reads. */
  private static final int READER_EACH = 16;

  /** Short enough that records expire within a run, and longer than all nodes may differ. */
  static final Duration CACHE_TTL = Duration.ofSeconds(6);

  private static final Duration CONVERGES = Duration.ofSeconds(15);

  /** Calls go on this long after the last fault. */
  private static final Duration AFTERWARDS = Duration.ofSeconds(4);

  private static final Duration LOOK_EVERY = Duration.ofMillis(50);

  private final long seed;
  private final Duration faultPhase;
  private final List<Fault> plan;
  private final ChaosEnvironment environment;
  private final ServerCluster servers;
  private final String internalToken;
  private final List<String> meetings;
  private final List<List<SyncCall>> logs = new ArrayList<>();
  private final FaultTimeline timeline = new FaultTimeline();
  private final RunClock clock = new RunClock();
  private final ShownRecords shown = new ShownRecords();
  private long lasted;

  SyncRun(
      long seed,
      Duration faultPhase,
      List<Fault> plan,
      ChaosEnvironment environment,
      ServerCluster servers,
      String internalToken) {
    this.internalToken = internalToken;
    this.seed = seed;
    this.faultPhase = faultPhase;
    this.plan = plan;
    this.environment = environment;
    this.servers = servers;
    this.meetings = IntStream.range(0, MEETINGS).mapToObj(i -> "chaos:" + seed + ":" + i).toList();
  }

  RunReport carryOut(Path folder) throws Exception {
    meetings.forEach(_ -> logs.add(new ArrayList<>()));
    SyncProber prober = new SyncProber(servers, internalToken, meetings, seed);
    SyncJobs jobs = new SyncJobs(servers, internalToken, seed);
    List<SyncCaller> callers = faultPhase(prober, jobs);
    EmbeddedPostgres postgres = environment.stores().postgres();
    long quiet = System.nanoTime();
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, Long> versions;
    Optional<RuleViolation> late;
    try (Connection connection = postgres.connect(servers.database())) {
      late = awaitAgreement(connection, quiet);
      versions = SyncRows.versions(connection);
    }
    late.ifPresent(findings::add);
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    try (Connection connection = postgres.connect(servers.database())) {
      jobs.finish();
      findings.addAll(jobs.check());
      findings.addAll(
          SyncViews.look(
              servers.admin(),
              ApiClient.internal(servers.urls().getLast(), internalToken),
              SyncRows.versions(connection).keySet()));
    }
    findings.addAll(shown.findings());
    callers.forEach(
        caller ->
            caller.surprises().stream()
                .limit(5)
                .forEach(
                    text ->
                        findings.add(
                            new RuleViolation(ViolationKind.REFUSED, text, "SyncAnswerRule"))));
    findings.addAll(prober.findings());
    List<TimedReply> replies = callers.stream().flatMap(it -> it.replies().stream()).toList();
    findings.addAll(
        Rule.check(
            List.of(new AvailabilityRule(), new WriteDeadlineRule()),
            new AvailabilityRule.Calls(
                replies, timeline.windows(), Set.of(FaultTimeline.POSTGRES), false)));
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
        List.of(notes(replies, syncRunTotals)),
        folder,
        coverage(replies, syncRunTotals, jobs.calls()));
  }

  private List<SyncCaller> faultPhase(SyncProber prober, SyncJobs jobs)
      throws InterruptedException {
    AtomicBoolean goesOn = new AtomicBoolean(true);
    AtomicLong ids = new AtomicLong();
    SplittableRandom random = new SplittableRandom(seed);
    List<URI> urls = servers.urls();
    List<SyncCaller> callers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CALLERS * urls.size(); i++) {
      int server = i % urls.size();
      SyncCaller caller =
          new SyncCaller(
              urls.get(server),
              internalToken,
              i / urls.size() % READER_EACH > 0,
              meetings,
              logs,
              random.split(),
              ids,
              () -> servers.process(server),
              clock,
              shown,
              goesOn::get);
      callers.add(caller);
      threads.add(Thread.ofPlatform().name("caller-" + i).start(caller));
    }
    threads.add(Thread.ofPlatform().name("prober").start(() -> prober.run(goesOn::get)));
    threads.add(Thread.ofPlatform().name("jobs").start(() -> jobs.run(goesOn::get)));
    long start = System.nanoTime();
    RunClock phase = new RunClock();
    FaultInjection injection = new FaultInjection(environment, servers, timeline);
    try {
      for (Fault fault : plan) {
        // A slow restart delays later faults; only the last is certain.
        if (System.nanoTime() - start < faultPhase.toNanos() || fault.equals(plan.getLast())) {
          phase.await(fault.at());
          injection.inject(fault);
        }
      }
      phase.await(faultPhase);
      new RunClock().await(AFTERWARDS);
    } finally {
      goesOn.set(false);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    lasted = System.nanoTime() - start;
    return callers;
  }

  /** Waits until every server shows every meeting as in its row. */
  private Optional<RuleViolation> awaitAgreement(Connection connection, long quiet)
      throws SQLException {
    List<String> differences = new ArrayList<>();
    do {
      differences.clear();
      Map<String, Long> versions = SyncRows.versions(connection);
      for (URI url : servers.urls()) {
        try (RawHttpConnection rawHttpConnection = new RawHttpConnection(url, internalToken)) {
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
        ViolationKind.NOT_CONVERGED.found(
            "after " + CONVERGES + ": " + differences.stream().limit(5).toList()));
  }

  private static Optional<String> difference(
      RawHttpConnection rawHttpConnection, String meeting, long version) {
    Optional<RawHttpConnection.RawHttpResponse> answer = rawHttpConnection.read(meeting, "");
    if (answer.isEmpty() || answer.get().status() != 200) {
      return Optional.of(meeting + " was answered " + answer);
    }
    Optional<ParsedSyncRecord> parsed = ParsedSyncRecord.parse(answer.get().body());
    return parsed.filter(shown -> shown.version() == version && !shown.stale()).isPresent()
        ? Optional.empty()
        : Optional.of(meeting + " is version " + version + " and read as " + parsed);
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
    try (Connection connection = environment.stores().postgres().connect(servers.database())) {
      journal = SyncRows.journal(connection);
    }
    SyncRunTotals syncRunTotals = new SyncRunTotals(0, 0, 0, 0, 0, 0, 0);
    Outages outages =
        new Outages(
            CACHE_TTL.toNanos(),
            spans(FaultTimeline.REDIS + FaultTimeline.GONE),
            Stream.concat(
                    // A server that does not reach Redis reads the row; the others have Redis.
                    timeline.windows().stream()
                        .filter(it -> it.target().equals(FaultTimeline.REDIS))
                        .filter(it -> !it.what().equals(FaultInjection.SILENT))
                        .map(this::span),
                    spans(FaultTimeline.POSTGRES).stream())
                .toList(),
            timeline.windows().stream().map(this::span).toList(),
            timeline.windows().stream()
                .filter(it -> it.target().equals(FaultTimeline.POSTGRES + FaultTimeline.GONE))
                .filter(it -> timeline.windows().stream().noneMatch(full -> readable(full, it)))
                .map(this::span)
                .toList(),
            clock);
    for (int i = 0; i < meetings.size(); i++) {
      String name = meetings.get(i);
      List<AppliedUpdate> entries = journal.getOrDefault(name, List.of());
      if (versions.getOrDefault(name, 0L) != entries.size()) {
        findings.add(
            ViolationKind.GAP.found(
                name
                    + " has a row of version "
                    + versions.get(name)
                    + " and a journal of "
                    + entries.size()));
      }
      LinearizabilityChecker.CheckResult result =
          LinearizabilityChecker.check(new MeetingHistory(name, logs.get(i), entries), outages);
      findings.addAll(result.findings());
      syncRunTotals =
          new SyncRunTotals(
              syncRunTotals.operations + result.operations(),
              syncRunTotals.updates + entries.size(),
              syncRunTotals.regressions + result.regressions(),
              syncRunTotals.wrong + result.wrong(),
              Math.max(syncRunTotals.staleNanos, result.staleNanos()),
              Math.max(syncRunTotals.markedNanos, result.markedNanos()),
              syncRunTotals.stale + result.markedReads());
    }
    return syncRunTotals;
  }

  private static boolean readable(FaultWindow fault, FaultWindow gone) {
    return fault.what().equals(FaultInjection.FULL_DISK) && fault.touches(gone.from(), gone.to());
  }

  private List<Outages.Span> spans(String target) {
    return timeline.windows().stream()
        .filter(window -> window.target().equals(target))
        .map(this::span)
        .toList();
  }

  private Outages.Span span(FaultWindow window) {
    return new Outages.Span(clock.nanos(window.from()), clock.nanos(window.to()));
  }

  private Coverage coverage(List<TimedReply> replies, SyncRunTotals totals, long jobCalls) {
    long answered = replies.stream().filter(reply -> !reply.refused()).count();
    return Coverage.NONE
        .with("injected faults", timeline.count(), 1)
        .with("applied updates", totals.updates, 100)
        .with("answered calls", answered, 1000)
        .with("calls of jobs", jobCalls, 25)
        .withShare(
            "share of calls not marked as stale",
            totals.operations - totals.stale,
            totals.operations,
            0.3);
  }

  private String notes(List<TimedReply> replies, SyncRunTotals syncRunTotals) {
    return "%d updates applied, %d reads marked stale, %d calls answered 503, %d not answered; %.0f operations a second"
        .formatted(
            syncRunTotals.updates,
            syncRunTotals.stale,
            replies.stream().filter(reply -> reply.status() == 503).count(),
            replies.stream().filter(reply -> reply.status() == 0).count(),
            syncRunTotals.operations / (lasted / 1e9));
  }

  private static void park(Duration span) {
    long end = System.nanoTime() + span.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}

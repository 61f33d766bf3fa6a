package io.convoke.chaos.presence;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.EventStreams;
import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.ReportingBot;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.history.ActualVisit;
import io.convoke.chaos.history.PresenceChecker;
import io.convoke.chaos.history.PresenceComparison;
import io.convoke.chaos.history.PresenceHistory;
import io.convoke.chaos.history.PresenceHistory.ObservedPresence;
import io.convoke.chaos.history.PresenceHistory.PresenceBounds;
import io.convoke.chaos.history.PresenceHistory.PresenceEnd;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.TenantRule;
import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.control.SimulationTruth;
import io.convoke.simulator.daily.RequestRecord;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.process.ReleaseRotation;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One run: the storm, then no faults until the servers agree with the platform, then all
 * participants leave; then gathers and checks the history.
 */
final class PresenceRun implements AutoCloseable {
  private static final int READ_MIN = 40;

  private static final Duration LOOK_EVERY = Duration.ofMillis(150);

  /** Time to store the last accepted events before the history is final. */
  private static final Duration SETTLE = Duration.ofSeconds(5);

  /** Until then servers have noticed that Redis is away, and meetings are due again. */
  private static final Duration ALONE_AFTER = Duration.ofSeconds(4);

  /** Reports of a bot, through the time of the faults. */
  private static final int REPORTS = 20;

  private static final Duration REPORTS_EACH = Duration.ofMillis(600);

  /** Longer than an absence must last, and two polls that fail. */
  private static final Duration LASTING = Duration.ofSeconds(22);

  private static final Duration SOMETIMES = Duration.ofMillis(500);

  /** Maximum delay of platform responses before a server is suspended. */
  private static final FaultSetting SLOW = FaultSetting.of(1).lasting(Duration.ofMillis(1500));

  private final PresencePlan plan;
  private final ChaosEnvironment environment;
  private final ServerCluster servers;
  private final Simulator platform;
  private final ReportingBot bot;

  /** On another platform, which tells no presence. */
  private final ReportingBot elsewhere;

  private final PresenceBounds bounds = PresenceRunConfig.bounds();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<Long, String> rooms = new LinkedHashMap<>();
  private final List<Instant> forgetting = new CopyOnWriteArrayList<>();
  private final FaultTimeline timeline = new FaultTimeline();
  private volatile Instant lastKill = Instant.EPOCH;

  PresenceRun(
      PresencePlan plan,
      ChaosEnvironment environment,
      ServerCluster servers,
      Simulator platform,
      ReportingBot bot,
      ReportingBot elsewhere) {
    this.bot = bot;
    this.elsewhere = elsewhere;
    this.plan = plan;
    this.environment = environment;
    this.servers = servers;
    this.platform = platform;
  }

  RunReport carryOut(Path folder) throws Exception {
    ApiClient admin = servers.admin();
    ApiClient.CreatedUser owner = admin.newUser("chaos@example.com", 1);
    ApiClient user = owner.api();
    for (String room : plan.rooms()) {
      var _ = platform.world().ensure(RoomRequest.named(room));
      rooms.put(user.track(room), room);
    }
    PresenceObserver observer = new PresenceObserver(user, servers.urls());
    SimulatedPeople people = new SimulatedPeople(platform.world());
    ExtraRooms side = new ExtraRooms(platform, user, plan.seed());
    try (EventStreams events = new EventStreams(admin, servers.urls())) {
      events.add(owner);
      ApiClient.CreatedUser stranger = admin.newUser("stranger@example.com", 1);
      events.add(stranger);
      side.open(
          admin,
          owner.id(),
          plan.breaker() ? Optional.empty() : Optional.of(plan.rooms().getFirst()));
      String last = plan.rooms().getLast();
      bot.join(
          user,
          Map.of(
              "platform",
              "daily",
              "native_meeting_id",
              last,
              "meeting_url",
              platform.roomUrl(last).toString()));
      BotReportedRoom reported = new BotReportedRoom(admin, plan.seed(), elsewhere, servers.urls());
      reported.open();
      rooms.forEach(
          (meeting, room) -> {
            if (room.equals(last)) {
              side.visitBoth(last, meeting, bot.meeting());
            }
          });
      faultPhase(people, observer, side, reported);
      CompletableFuture<?> secondBot = CompletableFuture.runAsync(reported::again, threads);
      // A late event is new information: the bound counts from its delivery.
      awaitDeliveries();
      Instant quiet = Instant.now();
      List<RuleViolation> late = new ArrayList<>();
      awaitAgreement(observer, "after the last event", quiet).ifPresent(late::add);
      Duration converged = Duration.between(quiet, Instant.now());
      withoutAnswers(observer);
      var _ = secondBot.join();
      awaitAgreement(observer, "after lasting wrong answers", Instant.now()).ifPresent(late::add);
      withoutBulk(observer, side).ifPresent(late::add);
      if (!side.useAgain(bounds.freshness())) {
        late.add(ViolationKind.NOT_CONVERGED.found("a meeting that is over has not ended"));
      }
      people.leaveAll();
      awaitAgreement(observer, "after the last leave", Instant.now()).ifPresent(late::add);
      awaitDeliveries();
      PresenceHistory presenceHistory =
          settled(
              observer,
              events,
              connection ->
                  end(new PresenceReads(connection), side, reported, owner, stranger.api()));
      List<RuleViolation> findings = new ArrayList<>(late);
      findings.addAll(PresenceChecker.check(presenceHistory));
      if (!findings.isEmpty()) {
        HistoryLines.write(presenceHistory, folder);
      }
      return new RunReport(
          plan.seed(),
          presenceHistory.operations(),
          late.isEmpty() ? Optional.of(converged) : Optional.empty(),
          List.copyOf(findings),
          List.of(),
          notes(presenceHistory, events),
          folder,
          coverage(presenceHistory));
    }
  }

  @Override
  public void close() {
    var _ = threads.shutdownNow();
  }

  /**
   * The platform knows no room, or tells half of the people, for longer than an absence must last:
   * all stay.
   */
  private void withoutAnswers(PresenceObserver observer) {
    if (plan.seed() % 2 == 0) {
      platform.faults().set(FaultKind.PRESENCE_TRUNCATED, FaultSetting.ALWAYS);
    } else {
      // Not of what meetings that are over are read from.
      platform.faults().set(FaultKind.API_404, FaultSetting.ALWAYS.on("/presence"));
    }
    RunClock clock = new RunClock();
    for (Duration at = Duration.ZERO; at.compareTo(LASTING) < 0; at = at.plus(SOMETIMES)) {
      clock.await(at);
      List<ObservedPresence> _ = observer.observe(rooms.keySet());
    }
    platform.faults().clear();
  }

  /**
   * The call for all rooms fails, and events are lost: who comes is seen all the same. The room is
   * one with people, since the meeting of an empty one may be over.
   */
  private Optional<RuleViolation> withoutBulk(PresenceObserver observer, ExtraRooms side) {
    Optional<String> used =
        PresenceObservations.visits(platform.truth(), forgetting).stream()
            .filter(visit -> visit.leftAt().isEmpty() && rooms.containsValue(visit.room()))
            .map(ActualVisit::room)
            .findFirst();
    return used.flatMap(room -> withoutBulk(observer, side, room));
  }

  private Optional<RuleViolation> withoutBulk(
      PresenceObserver observer, ExtraRooms side, String room) {
    platform.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.on("/v1/presence"));
    platform.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.of(1));
    String session = side.join(room, "late");
    Optional<RuleViolation> missed =
        awaitAgreement(observer, "without the call for all rooms", Instant.now());
    platform.faults().clear();
    boolean _ = platform.world().leave(room, session, LeaveReason.LEFT);
    return missed;
  }

  /** Carries out the plan for people and processes concurrently, polling meanwhile. */
  private void faultPhase(
      SimulatedPeople people,
      PresenceObserver observer,
      ExtraRooms side,
      BotReportedRoom reported) {
    plan.faults().forEach(platform.faults()::set);
    RunClock clock = new RunClock();
    CompletableFuture<?> steps =
        CompletableFuture.runAsync(
            () -> plan.steps().forEach(s -> perform(s, clock, people)), threads);
    CompletableFuture<?> breaks =
        CompletableFuture.runAsync(
            () ->
                plan.plannedFaults()
                    .forEach(
                        fault -> {
                          clock.await(fault.at());
                          injectFault(fault);
                        }),
            threads);
    CompletableFuture<?> aside = CompletableFuture.runAsync(() -> beside(clock, side), threads);
    CompletableFuture<?> reports =
        CompletableFuture.runAsync(() -> report(clock, reported), threads);
    CompletableFuture<?> all = CompletableFuture.allOf(steps, breaks, aside, reports);
    while (!all.isDone()) {
      List<ObservedPresence> _ = observer.observe(rooms.keySet());
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = all.join();
    platform.faults().clear();
  }

  /** A visit to a room with a rule begins, and the bot fails. */
  private void beside(RunClock clock, ExtraRooms side) {
    clock.await(plan.visit());
    side.visit();
    clock.await(plan.failure());
    bot.exit(1);
  }

  /** The bot of another platform reports who is in its room, and leaves. */
  private static void report(RunClock clock, BotReportedRoom reported) {
    for (int i = 0; i < REPORTS; i++) {
      clock.await(REPORTS_EACH.multipliedBy(i));
      reported.report();
    }
    reported.close();
  }

  private static void perform(PresencePlanStep step, RunClock clock, SimulatedPeople people) {
    clock.await(step.at());
    switch (step) {
      case PresencePlanStep.JoinRoom joinRoom -> people.join(joinRoom);
      case PresencePlanStep.LeaveRoom leaveRoom -> people.leave(leaveRoom);
    }
  }

  private void injectFault(Fault fault) {
    FaultInjection injection = new FaultInjection(environment, servers, timeline);
    switch (fault) {
      case Fault.HangServer _ -> {
        // Polls must be in flight: on resuming, the server commits outdated responses.
        slowly();
        lastKill = Instant.now();
        injection.inject(fault);
      }
      case Fault.KillServers _, Fault.EndFirstConnections _ -> {
        // Polls in flight hold meetings that another server must take over.
        slowly();
        lastKill = Instant.now();
        injection.inject(fault);
        lastKill = Instant.now();
      }
      case Fault.RollServers _ -> {
        lastKill = Instant.now();
        injection.inject(fault);
        lastKill = Instant.now();
      }
      case Fault.FlushRedis _, Fault.LoseLastWrites _ -> {
        injection.inject(fault);
        forgetting.add(Instant.now());
      }
      case Fault.RedisAway _,
          Fault.PostgresAway _,
          Fault.StoresAway _,
          Fault.CutRedis _,
          Fault.DropSubscriptions _,
          Fault.SlowNetwork _,
          Fault.SilentNetwork _,
          Fault.CutOff _,
          Fault.UnansweredCommits _,
          Fault.FullDisk _,
          Fault.FailOverPostgres _,
          Fault.StalledStreams _ ->
          injection.inject(fault);
    }
  }

  /** Has the platform answer late for a while, so that polls are in flight afterwards. */
  private void slowly() {
    FaultSetting before = platform.faults().get(FaultKind.API_SLOW);
    platform.faults().set(FaultKind.API_SLOW, SLOW);
    LockSupport.parkNanos(SLOW.amount().dividedBy(2).toNanos());
    platform.faults().set(FaultKind.API_SLOW, before);
  }

  /**
   * Polls until every meeting shows its actual participants; returns the difference on a timeout.
   */
  private Optional<RuleViolation> awaitAgreement(
      PresenceObserver observer, String when, Instant since) {
    Instant takenOver = lastKill.plus(PresenceRunConfig.TAKE_OVER);
    Instant deadline =
        (takenOver.isAfter(since) ? takenOver : since).plus(PresenceRunConfig.freshness());
    while (true) {
      List<ActualVisit> visits = PresenceObservations.visits(platform.truth(), forgetting);
      List<ObservedPresence> reads = observer.observe(rooms.keySet());
      List<String> differences =
          reads.stream()
              .flatMap(
                  read ->
                      PresenceComparison.difference(
                          read, visits, rooms.getOrDefault(read.meetingId(), ""), read.askedAt())
                          .stream())
              .toList();
      if (reads.size() == rooms.size() && differences.isEmpty()) {
        return Optional.empty();
      }
      if (Instant.now().isAfter(deadline)) {
        return Optional.of(
            ViolationKind.NOT_CONVERGED.found(
                "%s, %d s later: %d of %d meetings answered, %s",
                when,
                Duration.between(since, deadline).toSeconds(),
                reads.size(),
                rooms.size(),
                String.join("; ", differences)));
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  private void awaitDeliveries() {
    try {
      platform.awaitQuiet(PresenceRunConfig.freshness());
    } catch (TimeoutException stillTrying) {
      // Events still to be retried count as undelivered.
    }
  }

  /** Gathers the history, after a delay for writes in flight. */
  private PresenceHistory settled(
      PresenceObserver observer, EventStreams events, PresenceEndReader end)
      throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + SETTLE.toNanos();
    while (true) {
      PresenceHistory presenceHistory = gather(observer, events, end);
      if (PresenceChecker.check(presenceHistory).isEmpty() || System.nanoTime() - deadline > 0) {
        return presenceHistory;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  /** What is read at the end. */
  private interface PresenceEndReader {
    PresenceEnd read(Connection connection) throws SQLException;
  }

  private PresenceEnd end(
      PresenceReads reads,
      ExtraRooms side,
      BotReportedRoom reported,
      ApiClient.CreatedUser owner,
      ApiClient stranger)
      throws SQLException {
    if (ReleaseRotation.starts().isPresent()) {
      // An earlier release has no rules of rooms and may show other fields.
      return PresenceEnd.NONE;
    }
    List<ReadBack> all = new ArrayList<>(reads.read(owner.api(), owner.id(), servers.urls()));
    all.add(side.deadLetters(servers.admin()));
    all.addAll(side.shared());
    all.addAll(reported.compared());
    all.addAll(pollsWithoutRedis());
    for (String room : plan.rooms()) {
      all.add(ExtraRooms.refused(stranger, room));
    }
    return new PresenceEnd(side.meetings(), List.copyOf(all));
  }

  /** Whether servers polled in each long outage of Redis, if one of them and Postgres were well. */
  private List<ReadBack> pollsWithoutRedis() {
    List<Instant> polls =
        platform.requests().recent().stream()
            .filter(request -> request.route().endsWith("/presence"))
            .map(RequestRecord::at)
            .toList();
    List<FaultWindow> windows = timeline.windows();
    return windows.stream()
        .filter(it -> it.target().equals(FaultTimeline.REDIS + FaultTimeline.GONE))
        .filter(it -> it.from().plus(ALONE_AFTER.multipliedBy(2)).isBefore(it.to()))
        .filter(it -> well(FaultTimeline.POSTGRES, it))
        .filter(
            it ->
                IntStream.range(0, servers.number())
                    .anyMatch(server -> well(FaultTimeline.server(server), it)))
        .map(
            it -> {
              Instant from = it.from().plus(ALONE_AFTER);
              boolean polled =
                  polls.stream().anyMatch(at -> at.isAfter(from) && at.isBefore(it.to()));
              return new ReadBack(
                  "polls of the platform in " + it, List.of("true"), List.of("" + polled));
            })
        .toList();
  }

  private boolean well(String target, FaultWindow meanwhile) {
    return timeline.windows().stream()
        .filter(window -> window.target().equals(target))
        .noneMatch(window -> window.touches(meanwhile.from(), meanwhile.to()));
  }

  private PresenceHistory gather(
      PresenceObserver observer, EventStreams events, PresenceEndReader end)
      throws SQLException, InterruptedException {
    SimulationTruth truth = platform.truth();
    try (Connection connection = environment.stores().postgres().connect(servers.database())) {
      PresenceRows rows = new PresenceRows(connection);
      return new PresenceHistory(
          bounds,
          PresenceObservations.visits(truth, forgetting),
          rows.sessions(),
          rows.meetings(),
          observer.observations(),
          events.gather(connection),
          rows.journal(),
          ServerCluster.webhooks(truth),
          observer.replies(),
          timeline.windows(),
          end.read(connection));
    }
  }

  private Coverage coverage(PresenceHistory history) {
    long told = history.visits().stream().filter(v -> v.joinKnown().isPresent()).count();
    long accepted = history.calls().stream().filter(call -> call.status() == 200).count();
    return Coverage.NONE
        .with("injected faults", timeline.count(), plan.plannedFaults().size())
        .with("visits", history.visits().size(), 10 + ExtraRooms.PASSING)
        .withShare("share of visits with an accepted join", told, history.visits().size(), 0.3)
        .with("accepted webhooks", accepted, 10 + 2 * ExtraRooms.PASSING)
        .with("answered reads", history.observations().size(), 50)
        .with(
            "answers read at the end",
            history.end().reads().size(),
            ReleaseRotation.starts().isPresent() ? 0 : READ_MIN)
        .with("reads of users' own", TenantRule.proofs(history.streams().reads()), 5)
        .withShare(
            "share of answered reads", history.observations().size(), history.reads().size(), 0.4);
  }

  private List<String> notes(PresenceHistory presenceHistory, EventStreams events)
      throws IOException {
    long withoutEvent =
        presenceHistory.visits().stream()
            .filter(v -> !v.joinDelivered() && !v.leaveDelivered())
            .count();
    return List.of(
        "%d visits (%d without an event), %d webhook attempts, %d reads, %d events over %d connections, %d stale writes refused"
            .formatted(
                presenceHistory.visits().size(),
                withoutEvent,
                presenceHistory.calls().size(),
                presenceHistory.observations().size(),
                presenceHistory.streams().journal().size(),
                events.connections(),
                staleWritesRefused()));
  }

  /** Number of fenced writes of stale epochs, counted in the servers' logs. */
  private long staleWritesRefused() throws IOException {
    long refused = 0;
    for (int i = 0; i < servers.number(); i++) {
      try (Stream<String> lines = Files.lines(servers.log(i))) {
        refused += lines.filter(line -> line.contains("refused a stale write")).count();
      }
    }
    return refused;
  }
}

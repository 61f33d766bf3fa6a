package io.convoke.chaos.bots;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.EventStreams;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.bots.rules.BotChecker;
import io.convoke.chaos.bots.rules.BotHistory;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.BotTransition;
import io.convoke.chaos.bots.rules.BotHistory.ReplayResult;
import io.convoke.chaos.bots.rules.BotHistory.ScheduledStart;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.TenantRule;
import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.process.ReleaseRotation;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.Visitor;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One run: the storm, then all users stop all bots without further faults until all rows and
 * processes have ended; then gathers and checks the history.
 */
final class BotRun implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** From the begin of the fault phase until the first bot with more than a start and a stop. */
  private static final Duration TALKS = Duration.ofMillis(200);

  /** States in which a bot takes a place. */
  private static final Set<String> COUNTED = Set.of("reserved", "starting", "active");

  /** Reads of active bots while faults are injected, by one user after the other. */
  private static final int LISTS = 20;

  private static final Duration LIST_EVERY = Duration.ofMillis(500);

  private static final int FEATURES = 12;

  /** Users who start more bots at once than they may have, and of how many each at each server. */
  private static final int RACES = 4;

  private static final int STARTS_EACH = 2;
  private static final Duration TOGETHER = Duration.ofMillis(20);

  /** The feature room of the bot that only the server ends. */
  private static final int LIVES = 3;

  /** From the time of a start until the launch. */
  private static final Duration STARTED = Duration.ofSeconds(8);

  /** A bot that takes longer between its leave and its end. */
  private static final Duration LEAVES_SLOWLY = Duration.ofSeconds(4);

  /** The room of the bot of whom others wait. */
  private static final int QUEUES = 4;

  /** The room of a bot that another one replaces while it leaves. */
  private static final int REPLACED = 7;

  /** The room of a bot that takes none of its commands, so that all of them wait. */
  private static final int DEAF = 9;

  /** The room whose bot starts late. */
  private static final int LATE = 10;

  /** The room whose bot has no place at its time. */
  private static final int FULL = 11;

  /** From a state of a bot until it has its fault, and until rules surely count it so. */
  private static final Duration NOTICED = Duration.ofMillis(1500);

  private static final Duration REACHES_MAX = Duration.ofSeconds(15);

  /**
   * Longest time a bot may still take after the storm: waiting in a lobby, being detected, being
   * killed.
   */
  private final Duration quietMax;

  /** Whether two releases take turns. */
  private final boolean mixed = ReleaseRotation.starts().isPresent();

  private final BotPlan plan;
  private final ChaosEnvironment environment;
  private final BotServers servers;
  private final BotRuntime runtime;
  private final CallbackFaultProxy relay;
  private final Simulator platform;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final BotRows rows;
  private final BotObserver observer;
  private final Map<String, String> talkers = new HashMap<>();
  private final FaultTimeline timeline = new FaultTimeline();
  private final ApiComparisons looks;
  private @Nullable EventStreams streams;
  private Instant spoken = Instant.EPOCH;

  BotRun(
      BotPlan plan,
      ChaosEnvironment environment,
      BotServers servers,
      BotRuntime runtime,
      CallbackFaultProxy relay,
      Simulator platform)
      throws SQLException {
    this.plan = plan;
    this.environment = environment;
    this.servers = servers;
    this.runtime = runtime;
    this.quietMax = plan.deadlines().reserved().plus(plan.deadlines().late()).plusSeconds(20);
    this.relay = relay;
    this.platform = platform;
    this.rows =
        new BotRows(
            new LastingConnection(environment.stores().postgres(), servers.cluster().database()));
    this.looks = new ApiComparisons(servers.cluster().urls());
    List<String> rooms = featureRooms();
    this.observer =
        new BotObserver(
            rows,
            runtime.processes(),
            relay,
            plan.requests(),
            Map.of(
                rooms.get(QUEUES),
                BotFault.LEAVES_SLOWLY,
                rooms.get(REPLACED),
                BotFault.LEAVES_SLOWLY,
                rooms.get(DEAF),
                BotFault.DEAF_TO_COMMANDS));
  }

  RunReport carryOut(Path folder) throws SQLException, IOException, InterruptedException {
    plan.requests().stream().map(BotPlanStep.RequestBot::room).distinct().forEach(this::room);
    ApiClient admin = servers.cluster().admin();
    List<Integer> limits = new ArrayList<>(plan.limits());
    limits.add(1);
    limits.addAll(Collections.nCopies(RACES, 1));
    BotUsers users = new BotUsers(admin, limits, platform, servers.cluster().urls(), looks);
    streams = new EventStreams(admin, servers.cluster().urls());
    users.users().forEach(streams::add);
    ApiClient.CreatedUser talker = users.users().get(plan.limits().size() - 2);
    BotFeatures features = new BotFeatures(looks, talker, platform);
    BotReads botReads =
        new BotReads(looks, rows, users.users(), admin, servers.cluster().urls().getFirst());
    featureRooms().forEach(this::room);
    IntStream.range(0, RACES).boxed().flatMap(this::racingRooms).forEach(this::room);
    faultPhase(users, features);
    relay.calm();
    runtime.calm();
    race(users);
    if (!mixed) {
      // A bot is given up by servers that have been up for as long as it may wait.
      features.startLate(featureRooms().get(LATE));
      ApiClient full = users.users().get(plan.limits().size() + 1).api();
      features.startWithoutPlace(full, featureRooms().get(FULL));
    }
    Instant quiet = Instant.now();
    boolean over = awaitTheEnd(users, features, quiet);
    Duration converged = Duration.between(quiet, Instant.now());
    // An earlier release does not know all calls of these bots and users.
    boolean readable = over && !mixed;
    ReplayResult result =
        over
            ? new DelayedReplay(relay, rows, observer, mixed ? () -> {} : botReads::requests)
                .after(plan.replays())
            : ReplayResult.NONE;
    List<BotLaunches.LaunchedBot> launches = BotLaunches.read(folder);
    if (readable) {
      looks.compare("a heartbeat with another's token", 403, relay.foreignHeartbeat(true));
      looks.compare("a heartbeat without a token", 401, relay.foreignHeartbeat(false));
      List<String> refused = Collections.nCopies(servers.cluster().urls().size(), "410");
      looks.compare("a heartbeat of a bot that has ended", refused, relay.heartbeats());
      botReads.read();
      botReads.acknowledged(relay.commands());
      botReads.ended(features.lived(), features.withoutPlace());
      botReads.launched(launches, talker.id());
    }
    BotHistory history = history(users, features, launches, mixed ? result.ofKnownCalls() : result);
    List<RuleViolation> findings = BotChecker.check(history);
    if (!findings.isEmpty()) {
      HistoryLines.write(history, folder);
    }
    return new RunReport(
        plan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        findings,
        List.of(letIn(history) + " admitted", result.replays().size() + " replayed callbacks"),
        notes(history),
        folder,
        coverage(history));
  }

  private Coverage coverage(BotHistory history) {
    long heard =
        history.evidence().lines().stream().filter(line -> line.statuses().contains(200)).count();
    long accepted = history.userCalls().stream().filter(call -> call.status() == 201).count();
    long stopped = history.bots().stream().filter(bot -> bot.stopRequestedAt().isPresent()).count();
    return Coverage.NONE
        .with("injected faults", timeline.count(), plan.faults().size())
        .with("accepted bots", accepted, 3)
        .with("bots that were let in", letIn(history), 1)
        .with("stopped bots", stopped, 1)
        .with("commands", history.evidence().shown().given().size(), mixed ? 0 : 1)
        .with("acknowledged transcript lines", heard, 1)
        .with("faults of bots", history.injectedFaults().size(), 1)
        .with("reads of users' own", TenantRule.proofs(history.evidence().streams().reads()), 5);
  }

  /** A run in which no bot was admitted proves little. */
  private static long letIn(BotHistory history) {
    return history.bots().stream()
        .filter(botEndState -> botEndState.admittedAt().isPresent())
        .count();
  }

  @Override
  public void close() throws SQLException {
    var _ = threads.shutdownNow();
    if (streams != null) {
      streams.close();
    }
    rows.close();
  }

  private void room(String name) {
    BotScenarioKind kind = BotScenarioKind.of(name);
    Lobby lobby =
        switch (kind) {
          case LOBBY -> new Lobby.AdmitAfter(Duration.ofMillis(1500));
          case DENIED -> new Lobby.DenyAfter(Duration.ofSeconds(1));
          case CLOSED -> new Lobby.ClosedLobby();
          case OPEN, EMPTY, SLOW, FAILS, CRASHES, QUITS, FORKS, DEAF -> new Lobby.OpenLobby();
        };
    var _ = platform.world().ensure(RoomRequest.named(name).withLobby(lobby));
    if (kind != BotScenarioKind.EMPTY) {
      if (platform.world().join(name, Visitor.named("Ada").asOwner())
          instanceof JoinResult.JoinedMeeting(RoomSession ada)) {
        talkers.put(name, ada.sessionId());
      }
    }
  }

  /** Carries out the plan for users and processes concurrently, polling meanwhile. */
  private void faultPhase(BotUsers users, BotFeatures features) throws SQLException {
    RunClock start = new RunClock();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 1; i <= LISTS; i++) {
      int user = i % users.users().size();
      all.add(
          later(
              LIST_EVERY.multipliedBy(i),
              start,
              () -> {
                JsonNode _ = users.list(user);
              }));
    }
    if (!mixed) {
      all.addAll(features(users, features, start));
    }
    FaultInjection injection = new FaultInjection(environment, servers.cluster(), timeline);
    for (BotPlanStep.RequestBot request : plan.requests()) {
      for (int i = 0; i < request.times(); i++) {
        all.add(later(request.at(), start, () -> users.start(request.user(), request.room())));
      }
      request
          .stops()
          .forEach(
              after ->
                  all.add(
                      later(
                          request.at().plus(after),
                          start,
                          () -> users.stop(request.user(), request.room()))));
    }
    all.add(injection.carryOut(plan.faults(), start));
    plan.engineFaults()
        .forEach(fault -> all.add(later(fault.at(), start, () -> runtime.takeAway(fault.down()))));
    CompletableFuture<?> faultPhase =
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    while (!faultPhase.isDone()) {
      List<BotEndState> _ = observer.observe();
      talk();
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = faultPhase.join();
  }

  /** What one user does besides starting and stopping bots; an earlier release may not know it. */
  private List<CompletableFuture<?>> features(
      BotUsers users, BotFeatures features, RunClock start) {
    List<String> rooms = featureRooms();
    List<CompletableFuture<?>> all = new ArrayList<>();
    all.add(later(TALKS, start, () -> features.talk(rooms.get(0))));
    all.add(later(TALKS, start, () -> features.talk(rooms.get(DEAF))));
    all.add(later(TALKS, start, () -> features.schedule(rooms.get(1))));
    ApiClient narrow = users.users().get(plan.limits().size() - 1).api();
    all.add(later(TALKS, start, () -> features.cancel(rooms.get(2))));
    all.add(later(TALKS, start, () -> features.share(narrow)));
    all.add(later(TALKS, start, () -> features.live(rooms.get(LIVES))));
    all.add(
        later(
            TALKS,
            start,
            () -> features.queue(narrow, rooms.get(QUEUES), rooms.get(5), rooms.get(6))));
    all.add(later(TALKS, start, () -> replace(users, rooms.get(REPLACED), rooms.get(8))));
    return all;
  }

  /** Open rooms for what one user does besides starting and stopping bots. */
  private List<String> featureRooms() {
    return IntStream.range(0, FEATURES).mapToObj(i -> openRoom(900 + 2 * i)).toList();
  }

  private String openRoom(int number) {
    return "r%d-%s-%d".formatted(plan.seed(), BotScenarioKind.OPEN.label(), number);
  }

  /** In rooms of odd numbers bots report nothing but that they live. */
  private static boolean isQuiet(String room) {
    return room.charAt(room.length() - 1) % 2 == 1;
  }

  /** Says a line in every other room once a second, so that bots have captions to report. */
  private void talk() {
    Instant now = Instant.now();
    if (now.isAfter(spoken.plusSeconds(1))) {
      spoken = now;
      talkers.forEach(
          (room, ada) -> {
            boolean _ = isQuiet(room) || platform.world().say(room, ada, "It is " + now);
          });
    }
  }

  /** Starts a bot of a user who may have one, in the place of another that is leaving. */
  private void replace(BotUsers users, String room, String next) {
    int user = plan.limits().size();
    users.start(user, room);
    if (reaches(users, room, "active")) {
      LockSupport.parkNanos(NOTICED.toNanos());
      users.stop(user, room);
      if (reaches(users, room, "stopping")) {
        LockSupport.parkNanos(NOTICED.toNanos());
        users.start(user, next);
      }
    }
  }

  /** Users who may have one bot each start several, at all servers at the same moment. */
  private void race(BotUsers users) {
    for (int race = 0; race < RACES; race++) {
      int user = plan.limits().size() + 1 + race;
      RunClock start = new RunClock();
      CompletableFuture.allOf(
              racingRooms(race)
                  .map(room -> later(TOGETHER, start, () -> users.start(user, room)))
                  .toArray(CompletableFuture[]::new))
          .join();
    }
  }

  private Stream<String> racingRooms(int race) {
    return IntStream.range(0, STARTS_EACH * servers.cluster().urls().size())
        .mapToObj(i -> openRoom(950 + 20 * race + 2 * i));
  }

  private boolean reaches(BotUsers users, String room, String status) {
    long end = System.nanoTime() + REACHES_MAX.toNanos();
    boolean reached = false;
    while (!reached && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
      for (JsonNode bot : users.list(plan.limits().size())) {
        reached |=
            bot.path("platform_specific_id").asString("").equals(room)
                && bot.path("status").asString("").equals(status);
      }
    }
    return reached;
  }

  private CompletableFuture<?> later(Duration at, RunClock start, Runnable what) {
    return CompletableFuture.runAsync(
        () -> {
          start.await(at);
          what.run();
        },
        threads);
  }

  /** Waits until all rows and processes have ended, or a timeout. */
  private boolean awaitTheEnd(BotUsers users, BotFeatures features, Instant quiet)
      throws SQLException {
    Instant deadline = quiet.plus(quietMax);
    // First a sweep, so that what it thinks of the time of the faults shows.
    Instant stopAgain = quiet.plus(BotRunConfig.SWEEP).plus(BotRunConfig.HEARTBEAT);
    while (Instant.now().isBefore(deadline)) {
      if (!Instant.now().isBefore(stopAgain)) {
        Set<String> left = new HashSet<>(observer.leftToSweeper());
        left.add(featureRooms().get(LIVES));
        left.addAll(features.waiting());
        int _ = users.stopAll(left);
        stopAgain = Instant.now().plusSeconds(2);
      }
      if (observer.observe().stream().allMatch(BotEndState::over) && observer.running().isEmpty()) {
        return true;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private BotHistory history(
      BotUsers users,
      BotFeatures features,
      List<BotLaunches.LaunchedBot> launches,
      ReplayResult result)
      throws SQLException, IOException, InterruptedException {
    return new BotHistory(
        plan.deadlines(),
        users.limits(),
        rows.bots(),
        rows.transitions(),
        users.calls(),
        relay.calls(),
        observer.injectedFaults(),
        outages(),
        observer.runsOn(),
        observer.running(),
        result,
        servers.replay(),
        new BotHistory.BotEvidence(
            timeline.windows(),
            relay.replies(),
            relay.lines(),
            rows.transcriptLines(),
            rows.publishedSegments(),
            relay.commands(),
            Objects.requireNonNull(streams).gather(rows.connection()),
            new BotHistory.BotShown(
                looks.all(),
                Stream.concat(relay.answers().stream(), features.reads().stream()).toList(),
                features.given(),
                relay.texts(),
                users.lists(),
                scheduled(features, launches))));
  }

  private List<ScheduledStart> scheduled(
      BotFeatures features, List<BotLaunches.LaunchedBot> launches) throws SQLException {
    List<ScheduledStart> all = new ArrayList<>();
    features.starts().forEach((bot, at) -> all.add(scheduled(bot, at, at.plus(STARTED), launches)));
    List<BotTransition> transitions = rows.transitions();
    features
        .queued()
        .forEach(
            (waits, first) -> {
              List<Instant> free =
                  transitions.stream()
                      .filter(move -> move.meetingId() == first && !COUNTED.contains(move.to()))
                      .map(BotTransition::at)
                      .toList();
              if (!free.isEmpty()) {
                // The place of a bot that leaves is free before it has left.
                boolean slowly = free.getLast().isAfter(free.getFirst().plus(LEAVES_SLOWLY));
                Instant by = slowly ? free.getLast() : free.getFirst().plus(STARTED);
                all.add(scheduled(waits, free.getFirst(), by, launches));
              }
            });
    return all;
  }

  private static ScheduledStart scheduled(
      long bot, Instant at, Instant by, List<BotLaunches.LaunchedBot> launches) {
    return new ScheduledStart(
        bot,
        at,
        by,
        launches.stream()
            .filter(launch -> launch.meetingId() == bot)
            .map(BotLaunches.LaunchedBot::at)
            .toList());
  }

  /** Ends of the times in which every server was dead for longer than a sweep may take. */
  private List<Instant> outages() {
    return timeline.windows().stream()
        .filter(window -> window.what().equals(FaultTimeline.KILL))
        .collect(Collectors.groupingBy(FaultWindow::from))
        .values()
        .stream()
        .filter(together -> together.size() == servers.cluster().urls().size())
        .map(List::getFirst)
        .filter(
            window ->
                Duration.between(window.from(), window.to()).compareTo(BotRunConfig.OUTAGE) > 0)
        .map(FaultWindow::to)
        .toList();
  }

  private static List<String> notes(BotHistory history) {
    Map<String, Long> ends =
        history.bots().stream()
            .collect(
                Collectors.groupingBy(
                    botEndState -> botEndState.reason().orElse(botEndState.status()),
                    LinkedHashMap::new,
                    Collectors.counting()));
    return List.of(
        "%d requests of users, %d callbacks, %d bots of which %d were admitted, %d faulted"
            .formatted(
                history.userCalls().size(),
                history.calls().size(),
                history.bots().size(),
                history.bots().stream()
                    .filter(botEndState -> botEndState.admittedAt().isPresent())
                    .count(),
                history.injectedFaults().size()),
        "ends: "
            + ends.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", ")));
  }
}

package io.convoke.chaos.bots;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.bots.rules.BotChecker;
import io.convoke.chaos.bots.rules.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory;
import io.convoke.chaos.bots.rules.ReplayResult;
import io.convoke.chaos.history.RuleViolation;
import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.Simulator;
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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * One run: the storm, then all users stop all bots without further faults until all rows and
 * processes have ended; then gathers and checks the history.
 */
final class BotRun implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /**
   * Longest time a bot may still take after the storm: waiting in a lobby, being detected, being
   * killed.
   */
  private final Duration quietMax;

  private final BotPlan botPlan;
  private final ChaosEnvironment chaosEnvironment;
  private final BotServers botServers;
  private final BotRuntime botRuntime;
  private final CallbackFaultProxy relay;
  private final Simulator platform;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final BotRows botRows;
  private final BotObserver botObserver;
  private final Map<String, String> talkers = new HashMap<>();
  private Instant spoken = Instant.EPOCH;

  BotRun(
      BotPlan botPlan,
      ChaosEnvironment chaosEnvironment,
      BotServers botServers,
      BotRuntime botRuntime,
      CallbackFaultProxy relay,
      Simulator platform)
      throws SQLException {
    this.botPlan = botPlan;
    this.chaosEnvironment = chaosEnvironment;
    this.botServers = botServers;
    this.botRuntime = botRuntime;
    this.quietMax = botPlan.deadlines().reserved().plus(botPlan.deadlines().late()).plusSeconds(20);
    this.relay = relay;
    this.platform = platform;
    this.botRows = new BotRows(chaosEnvironment.stores().postgres().connect(botServers.database()));
    this.botObserver = new BotObserver(botRows, botRuntime.processes(), relay, botPlan.requests());
  }

  RunReport carryOut(Path folder) throws SQLException, IOException {
    botPlan.requests().stream().map(BotPlanStep.RequestBot::room).distinct().forEach(this::room);
    ApiClient admin = ApiClient.admin(botServers.urls().getFirst(), botServers.adminToken());
    BotUsers botUsers = new BotUsers(admin, botPlan.limits(), platform, botServers.urls());
    faultPhase(botUsers);
    relay.calm();
    botRuntime.calm();
    Instant quiet = Instant.now();
    boolean over = awaitTheEnd(botUsers, quiet);
    Duration converged = Duration.between(quiet, Instant.now());
    ReplayResult replayResult =
        over
            ? new DelayedReplay(relay, botRows, botObserver).after(botPlan.replays())
            : ReplayResult.NONE;
    BotHistory history = history(botUsers, replayResult);
    List<RuleViolation> findings = BotChecker.check(history);
    if (!findings.isEmpty()) {
      BotHistoryFile.write(history, folder);
    }
    return new RunReport(
        botPlan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        findings,
        List.of(
            letIn(history) + " admitted", replayResult.replays().size() + " replayed callbacks"),
        notes(history),
        folder);
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
    botRows.close();
  }

  private void room(String name) {
    BotScenarioKind botScenarioKind = BotScenarioKind.of(name);
    Lobby lobby =
        switch (botScenarioKind) {
          case LOBBY -> new Lobby.AdmitAfter(Duration.ofMillis(1500));
          case DENIED -> new Lobby.DenyAfter(Duration.ofSeconds(1));
          case CLOSED -> new Lobby.ClosedLobby();
          case OPEN, EMPTY, SLOW, FAILS, CRASHES, QUITS, FORKS, DEAF -> new Lobby.OpenLobby();
        };
    var _ = platform.world().ensure(RoomRequest.named(name).withLobby(lobby));
    if (botScenarioKind != BotScenarioKind.EMPTY) {
      if (platform.world().join(name, Visitor.named("Ada").asOwner())
          instanceof JoinResult.JoinedMeeting(RoomSession ada)) {
        talkers.put(name, ada.sessionId());
      }
    }
  }

  /** Carries out the plan for users and processes concurrently, polling meanwhile. */
  private void faultPhase(BotUsers botUsers) throws SQLException {
    long start = System.nanoTime();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (BotPlanStep.RequestBot requestBot : botPlan.requests()) {
      for (int i = 0; i < requestBot.times(); i++) {
        all.add(
            later(
                requestBot.at(),
                start,
                () -> botUsers.start(requestBot.user(), requestBot.room())));
      }
      requestBot
          .stops()
          .forEach(
              after ->
                  all.add(
                      later(
                          requestBot.at().plus(after),
                          start,
                          () -> botUsers.stop(requestBot.user(), requestBot.room()))));
    }
    all.add(
        CompletableFuture.runAsync(
            () -> botPlan.faults().forEach(botPlanStep -> injectFault(botPlanStep, start)),
            threads));
    CompletableFuture<?> faultPhase =
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    while (!faultPhase.isDone()) {
      List<BotEndState> _ = botObserver.observe();
      talk();
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = faultPhase.join();
  }

  /** Says a line in every room once a second, so that bots have captions to report. */
  private void talk() {
    Instant now = Instant.now();
    if (now.isAfter(spoken.plusSeconds(1))) {
      spoken = now;
      talkers.forEach(
          (room, ada) -> {
            boolean _ = platform.world().say(room, ada, "It is " + now);
          });
    }
  }

  private CompletableFuture<?> later(Duration at, long start, Runnable what) {
    return CompletableFuture.runAsync(
        () -> {
          awaitTime(at, start);
          what.run();
        },
        threads);
  }

  private void injectFault(BotPlanStep botPlanStep, long start) {
    awaitTime(botPlanStep.at(), start);
    switch (botPlanStep) {
      case BotPlanStep.KillBotServers(Duration _, List<Integer> servers, Duration down) -> {
        botServers.kill(servers);
        LockSupport.parkNanos(down.toNanos());
        botServers.restart(servers);
      }
      case BotPlanStep.StopRedisOfBots(Duration _, Duration down) -> {
        chaosEnvironment.stores().redis().stop();
        LockSupport.parkNanos(down.toNanos());
        chaosEnvironment.stores().redis().restart();
      }
      case BotPlanStep.KillEngine(Duration _, Duration down) -> botRuntime.takeAway(down);
      case BotPlanStep.FlushRedisOfBots _ -> chaosEnvironment.stores().redis().flush();
      case BotPlanStep.DropCommands _ -> chaosEnvironment.stores().redis().dropSubscribers();
      case BotPlanStep.RequestBot _ ->
          throw new IllegalArgumentException(botPlanStep + " is not a fault");
    }
  }

  private static void awaitTime(Duration at, long start) {
    long left = at.toNanos() - (System.nanoTime() - start);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - start);
    }
  }

  /** Waits until all rows and processes have ended, or a timeout. */
  private boolean awaitTheEnd(BotUsers botUsers, Instant quiet) throws SQLException {
    Instant deadline = quiet.plus(quietMax);
    Instant stopAgain = quiet;
    while (Instant.now().isBefore(deadline)) {
      if (!Instant.now().isBefore(stopAgain)) {
        int _ = botUsers.stopAll();
        stopAgain = Instant.now().plusSeconds(2);
      }
      if (botObserver.observe().stream().allMatch(BotEndState::over)
          && botObserver.running().isEmpty()) {
        return true;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private BotHistory history(BotUsers botUsers, ReplayResult replayResult)
      throws SQLException, IOException {
    return new BotHistory(
        botPlan.deadlines(),
        botUsers.limits(),
        botRows.bots(),
        botRows.transitions(),
        botUsers.calls(),
        relay.calls(),
        botObserver.injectedFaults(),
        botObserver.countedFrom(),
        botObserver.runsOn(),
        botObserver.running(),
        replayResult,
        botServers.replay());
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

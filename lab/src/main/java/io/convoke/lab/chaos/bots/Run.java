package io.convoke.lab.chaos.bots;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.chaos.bots.verdict.Bot;
import io.convoke.lab.chaos.bots.verdict.BotChecker;
import io.convoke.lab.chaos.bots.verdict.BotHistory;
import io.convoke.lab.chaos.bots.verdict.Haunting;
import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.client.Api;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.Lobby;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.Visitor;
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
 * One run: the storm, then every user stops every bot and nothing is broken any more, until all
 * rows are over and all processes gone; then the history is gathered and checked.
 */
final class Run implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** After the storm the longest life that is left: at a door, found, and then killed. */
  private final Duration quietMax;

  private final Plan plan;
  private final Ground ground;
  private final Fleet fleet;
  private final Hosting hosting;
  private final FaultyRelay relay;
  private final Simulator platform;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Rows rows;
  private final Watch watch;
  private final Map<String, String> talkers = new HashMap<>();
  private Instant spoken = Instant.EPOCH;

  Run(Plan plan, Ground ground, Fleet fleet, Hosting hosting, FaultyRelay relay, Simulator platform)
      throws SQLException {
    this.plan = plan;
    this.ground = ground;
    this.fleet = fleet;
    this.hosting = hosting;
    this.quietMax = plan.deadlines().reserved().plus(plan.deadlines().late()).plusSeconds(20);
    this.relay = relay;
    this.platform = platform;
    this.rows = new Rows(ground.stores().postgres().connect(fleet.database()));
    this.watch = new Watch(rows, hosting.processes(), relay, plan.wishes());
  }

  Verdict carryOut(Path folder) throws SQLException, IOException {
    plan.wishes().stream().map(Step.Wish::room).distinct().forEach(this::room);
    Api admin = Api.admin(fleet.urls().getFirst(), fleet.adminToken());
    Users users = new Users(admin, plan.limits(), platform, fleet.urls());
    storm(users);
    relay.calm();
    hosting.calm();
    Instant quiet = Instant.now();
    boolean over = awaitTheEnd(users, quiet);
    Duration converged = Duration.between(quiet, Instant.now());
    Haunting haunting = over ? new Haunt(relay, rows, watch).after(plan.ghosts()) : Haunting.NONE;
    BotHistory history = history(users, haunting);
    List<Finding> findings = BotChecker.check(history);
    if (!findings.isEmpty()) {
      HistoryFile.write(history, folder);
    }
    return new Verdict(
        plan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        findings,
        List.of(letIn(history) + " let in", haunting.ghosts().size() + " ghosts"),
        notes(history),
        folder);
  }

  /** A run in which nobody got in shows little, however well it ends. */
  private static long letIn(BotHistory history) {
    return history.bots().stream().filter(bot -> bot.admittedAt().isPresent()).count();
  }

  @Override
  public void close() throws SQLException {
    var _ = threads.shutdownNow();
    rows.close();
  }

  private void room(String name) {
    Kind kind = Kind.of(name);
    Lobby lobby =
        switch (kind) {
          case LOBBY -> new Lobby.AdmitAfter(Duration.ofMillis(1500));
          case DENIED -> new Lobby.DenyAfter(Duration.ofSeconds(1));
          case CLOSED -> new Lobby.Closed();
          case OPEN, EMPTY, SLOW, FAILS, CRASHES, QUITS, FORKS, DEAF -> new Lobby.Open();
        };
    var _ = platform.world().ensure(RoomRequest.named(name).withLobby(lobby));
    if (kind != Kind.EMPTY) {
      if (platform.world().join(name, Visitor.named("Ada").asOwner())
          instanceof JoinResult.Joined(Session ada)) {
        talkers.put(name, ada.sessionId());
      }
    }
  }

  /** Carries out the plan, users and processes side by side, looking all the while. */
  private void storm(Users users) throws SQLException {
    long start = System.nanoTime();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (Step.Wish wish : plan.wishes()) {
      for (int i = 0; i < wish.times(); i++) {
        all.add(later(wish.at(), start, () -> users.start(wish.user(), wish.room())));
      }
      wish.stops()
          .forEach(
              after ->
                  all.add(
                      later(
                          wish.at().plus(after),
                          start,
                          () -> users.stop(wish.user(), wish.room()))));
    }
    all.add(
        CompletableFuture.runAsync(
            () -> plan.disturbances().forEach(step -> disturb(step, start)), threads));
    CompletableFuture<?> storm = CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    while (!storm.isDone()) {
      List<Bot> _ = watch.look();
      talk();
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = storm.join();
  }

  /** Once a second somebody says something in every room, so that bots have something to report. */
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

  private void disturb(Step step, long start) {
    awaitTime(step.at(), start);
    switch (step) {
      case Step.KillServers(Duration _, List<Integer> servers, Duration down) -> {
        fleet.kill(servers);
        LockSupport.parkNanos(down.toNanos());
        fleet.restart(servers);
      }
      case Step.StopRedis(Duration _, Duration down) -> {
        ground.stores().redis().stop();
        LockSupport.parkNanos(down.toNanos());
        ground.stores().redis().restart();
      }
      case Step.KillEngine(Duration _, Duration down) -> hosting.takeAway(down);
      case Step.FlushRedis _ -> ground.stores().redis().flush();
      case Step.DropCommands _ -> ground.stores().redis().dropSubscribers();
      case Step.Wish _ -> throw new IllegalArgumentException(step + " is no disturbance");
    }
  }

  private static void awaitTime(Duration at, long start) {
    long left = at.toNanos() - (System.nanoTime() - start);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - start);
    }
  }

  /** Until every row is over and nothing runs, or it takes too long. */
  private boolean awaitTheEnd(Users users, Instant quiet) throws SQLException {
    Instant deadline = quiet.plus(quietMax);
    Instant stopAgain = quiet;
    while (Instant.now().isBefore(deadline)) {
      if (!Instant.now().isBefore(stopAgain)) {
        int _ = users.stopAll();
        stopAgain = Instant.now().plusSeconds(2);
      }
      if (watch.look().stream().allMatch(Bot::over) && watch.running().isEmpty()) {
        return true;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private BotHistory history(Users users, Haunting haunting) throws SQLException, IOException {
    return new BotHistory(
        plan.deadlines(),
        users.limits(),
        rows.bots(),
        rows.moves(),
        users.calls(),
        relay.calls(),
        watch.deeds(),
        watch.countedFrom(),
        watch.runsOn(),
        watch.running(),
        haunting,
        fleet.replay());
  }

  private static List<String> notes(BotHistory history) {
    Map<String, Long> ends =
        history.bots().stream()
            .collect(
                Collectors.groupingBy(
                    bot -> bot.reason().orElse(bot.status()),
                    LinkedHashMap::new,
                    Collectors.counting()));
    return List.of(
        "%d requests of users, %d callbacks, %d bots of which %d were let in, %d struck"
            .formatted(
                history.asked().size(),
                history.calls().size(),
                history.bots().size(),
                history.bots().stream().filter(bot -> bot.admittedAt().isPresent()).count(),
                history.deeds().size()),
        "ends: "
            + ends.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", ")));
  }
}

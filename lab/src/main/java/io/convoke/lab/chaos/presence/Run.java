package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.chaos.history.Bounds;
import io.convoke.lab.chaos.history.Checker;
import io.convoke.lab.chaos.history.Convergence;
import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import io.convoke.lab.chaos.history.History;
import io.convoke.lab.chaos.history.Look;
import io.convoke.lab.chaos.history.Told;
import io.convoke.lab.chaos.history.Visit;
import io.convoke.lab.client.Api;
import io.convoke.lab.client.EventReader;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.control.Truth;
import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.world.RoomRequest;
import java.io.IOException;
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

/**
 * One run: the storm, then quiet until the servers' view is the platform's, then everybody leaves,
 * then the history is gathered and checked.
 */
final class Run implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(150);

  /** What was accepted last must be written within this; then the history is final. */
  private static final Duration SETTLE = Duration.ofSeconds(5);

  /** How late each answer of the platform is at most when a server is about to hang. */
  private static final Fault SLOW = Fault.of(1).lasting(Duration.ofMillis(1500));

  private final Plan plan;
  private final Ground ground;
  private final Fleet fleet;
  private final Simulator platform;
  private final Bounds bounds = Terms.bounds();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<Long, String> rooms = new LinkedHashMap<>();
  private final List<Instant> forgetting = new CopyOnWriteArrayList<>();
  private volatile Instant lastKill = Instant.EPOCH;

  Run(Plan plan, Ground ground, Fleet fleet, Simulator platform) {
    this.plan = plan;
    this.ground = ground;
    this.fleet = fleet;
    this.platform = platform;
  }

  Verdict carryOut(Path folder) throws Exception {
    Api admin = Api.admin(fleet.urls().getFirst(), fleet.adminToken());
    Api user = admin.newUser("chaos@example.com");
    for (String room : plan.rooms()) {
      var _ = platform.world().ensure(RoomRequest.named(room));
      rooms.put(user.track(room), room);
    }
    Observer observer = new Observer(user, fleet.urls());
    People people = new People(platform.world());
    try (EventReader events = EventReader.start(admin, fleet.urls())) {
      storm(people, observer);
      // An event that comes late is news: what it says is right within the bound from then.
      awaitDeliveries();
      Instant quiet = Instant.now();
      List<Finding> late = new ArrayList<>();
      awaitAgreement(observer, "after the last event", quiet).ifPresent(late::add);
      Duration converged = Duration.between(quiet, Instant.now());
      people.leaveAll();
      awaitAgreement(observer, "after everybody left", Instant.now()).ifPresent(late::add);
      awaitDeliveries();
      History history = settled(observer, events);
      List<Finding> findings = new ArrayList<>(late);
      findings.addAll(Checker.check(history));
      if (!findings.isEmpty()) {
        HistoryFile.write(history, folder);
      }
      return new Verdict(
          plan.seed(),
          history.operations(),
          late.isEmpty() ? Optional.of(converged) : Optional.empty(),
          List.copyOf(findings),
          List.of(),
          notes(history, events),
          folder);
    }
  }

  @Override
  public void close() {
    var _ = threads.shutdownNow();
  }

  /** Carries out the plan, people and processes side by side, looking all the while. */
  private void storm(People people, Observer observer) {
    plan.faults().forEach(platform.faults()::set);
    long start = System.nanoTime();
    CompletableFuture<?> moves =
        CompletableFuture.runAsync(
            () -> plan.moves().forEach(s -> move(s, start, people)), threads);
    CompletableFuture<?> breaks =
        CompletableFuture.runAsync(
            () -> plan.disturbances().forEach(step -> disturb(step, start)), threads);
    CompletableFuture<?> all = CompletableFuture.allOf(moves, breaks);
    while (!all.isDone()) {
      List<Look> _ = observer.look(rooms.keySet());
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = all.join();
    platform.faults().clear();
  }

  private static void move(Step step, long start, People people) {
    awaitTime(step.at(), start);
    switch (step) {
      case Step.Join join -> people.join(join);
      case Step.Leave leave -> people.leave(leave);
      case Step.KillServer _, Step.PauseServer _, Step.StopRedis _, Step.FlushRedis _ ->
          throw new IllegalArgumentException(step + " is no move");
    }
  }

  private void disturb(Step step, long start) {
    awaitTime(step.at(), start);
    switch (step) {
      case Step.KillServer(Duration _, int server, Duration down) -> {
        fleet.kill(server);
        lastKill = Instant.now();
        LockSupport.parkNanos(down.toNanos());
        fleet.restart(server);
      }
      case Step.PauseServer(Duration _, int server, Duration span) -> {
        // Polls shall be under way: when it goes on it commits answers that are old by then.
        Fault before = platform.faults().get(FaultKind.API_SLOW);
        platform.faults().set(FaultKind.API_SLOW, SLOW);
        LockSupport.parkNanos(SLOW.amount().dividedBy(2).toNanos());
        fleet.pause(server, true);
        platform.faults().set(FaultKind.API_SLOW, before);
        lastKill = Instant.now();
        LockSupport.parkNanos(span.toNanos());
        fleet.pause(server, false);
      }
      case Step.StopRedis(Duration _, Duration down) -> {
        ground.stores().redis().stop();
        LockSupport.parkNanos(down.toNanos());
        ground.stores().redis().restart();
      }
      case Step.FlushRedis _ -> {
        ground.stores().redis().flush();
        forgetting.add(Instant.now());
      }
      case Step.Join _, Step.Leave _ ->
          throw new IllegalArgumentException(step + " is no disturbance");
    }
  }

  private static void awaitTime(Duration at, long start) {
    long left = at.toNanos() - (System.nanoTime() - start);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - start);
    }
  }

  /**
   * Looks until every meeting shows who is really there; says what differs if it takes too long.
   */
  private Optional<Finding> awaitAgreement(Observer observer, String when, Instant since) {
    Instant takenOver = lastKill.plus(Terms.TAKE_OVER);
    Instant deadline = (takenOver.isAfter(since) ? takenOver : since).plus(Terms.freshness());
    while (true) {
      List<Visit> visits = Witness.visits(platform.truth(), forgetting);
      List<Look> looks = observer.look(rooms.keySet());
      List<String> differences =
          looks.stream()
              .flatMap(
                  look ->
                      Convergence.difference(
                          look, visits, rooms.getOrDefault(look.meetingId(), ""), look.asked())
                          .stream())
              .toList();
      if (looks.size() == rooms.size() && differences.isEmpty()) {
        return Optional.empty();
      }
      if (Instant.now().isAfter(deadline)) {
        return Optional.of(
            new Finding(
                Kind.NOT_CONVERGED,
                "%s, %d s later: %d of %d meetings answered, %s"
                    .formatted(
                        when,
                        Duration.between(since, deadline).toSeconds(),
                        looks.size(),
                        rooms.size(),
                        String.join("; ", differences))));
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  private void awaitDeliveries() {
    try {
      platform.awaitQuiet(Terms.freshness());
    } catch (TimeoutException stillTrying) {
      // What is still to be tried has not been told, and is checked as such.
    }
  }

  /** Gathers the history; what is still being written gets a moment before it counts. */
  private History settled(Observer observer, EventReader events)
      throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + SETTLE.toNanos();
    while (true) {
      History history = gather(observer, events);
      if (Checker.check(history).isEmpty() || System.nanoTime() - deadline > 0) {
        return history;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  private History gather(Observer observer, EventReader events)
      throws SQLException, InterruptedException {
    Truth truth = platform.truth();
    try (Connection connection = ground.stores().postgres().connect(fleet.database())) {
      Rows rows = new Rows(connection);
      List<Told> journal = rows.journal();
      long last = journal.isEmpty() ? 0 : journal.getLast().seq();
      boolean _ = events.awaitSeq(last, SETTLE);
      return new History(
          bounds,
          Witness.visits(truth, forgetting),
          rows.sessions(),
          rows.meetings(),
          observer.looks(),
          events.events().stream()
              .filter(event -> event.seq() <= last)
              .map(event -> Rows.told(event.seq(), event.type(), event.subject(), event.data()))
              .toList(),
          journal,
          Witness.calls(truth));
    }
  }

  private List<String> notes(History history, EventReader events) throws IOException {
    long untold = history.visits().stream().filter(v -> !v.joinTold() && !v.leaveTold()).count();
    return List.of(
        "%d visits (%d that no event told of), %d webhook tries, %d looks, %d events over %d connections, %d stale writes refused"
            .formatted(
                history.visits().size(),
                untold,
                history.calls().size(),
                history.looks().size(),
                history.stream().size(),
                events.connections(),
                fleet.staleWritesRefused()));
  }
}

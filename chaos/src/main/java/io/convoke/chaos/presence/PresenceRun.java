package io.convoke.chaos.presence;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.history.ActualVisit;
import io.convoke.chaos.history.ObservedEvent;
import io.convoke.chaos.history.ObservedPresence;
import io.convoke.chaos.history.PresenceBounds;
import io.convoke.chaos.history.PresenceChecker;
import io.convoke.chaos.history.PresenceComparison;
import io.convoke.chaos.history.PresenceHistory;
import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.EventStreamReader;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.control.SimulationTruth;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.RoomRequest;
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
 * One run: the storm, then no faults until the servers agree with the platform, then all
 * participants leave; then gathers and checks the history.
 */
final class PresenceRun implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(150);

  /** Time to store the last accepted events before the history is final. */
  private static final Duration SETTLE = Duration.ofSeconds(5);

  /** Maximum delay of platform responses before a server is suspended. */
  private static final FaultSetting SLOW = FaultSetting.of(1).lasting(Duration.ofMillis(1500));

  private final PresencePlan presencePlan;
  private final ChaosEnvironment chaosEnvironment;
  private final PresenceServers presenceServers;
  private final Simulator platform;
  private final PresenceBounds presenceBounds = PresenceRunConfig.bounds();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<Long, String> rooms = new LinkedHashMap<>();
  private final List<Instant> forgetting = new CopyOnWriteArrayList<>();
  private volatile Instant lastKill = Instant.EPOCH;

  PresenceRun(
      PresencePlan presencePlan,
      ChaosEnvironment chaosEnvironment,
      PresenceServers presenceServers,
      Simulator platform) {
    this.presencePlan = presencePlan;
    this.chaosEnvironment = chaosEnvironment;
    this.presenceServers = presenceServers;
    this.platform = platform;
  }

  RunReport carryOut(Path folder) throws Exception {
    ApiClient admin =
        ApiClient.admin(presenceServers.urls().getFirst(), presenceServers.adminToken());
    ApiClient user = admin.newUser("chaos@example.com");
    for (String room : presencePlan.rooms()) {
      var _ = platform.world().ensure(RoomRequest.named(room));
      rooms.put(user.track(room), room);
    }
    PresenceObserver presenceObserver = new PresenceObserver(user, presenceServers.urls());
    SimulatedPeople simulatedPeople = new SimulatedPeople(platform.world());
    try (EventStreamReader events = EventStreamReader.start(admin, presenceServers.urls())) {
      faultPhase(simulatedPeople, presenceObserver);
      // A late event is new information: the bound counts from its delivery.
      awaitDeliveries();
      Instant quiet = Instant.now();
      List<RuleViolation> late = new ArrayList<>();
      awaitAgreement(presenceObserver, "after the last event", quiet).ifPresent(late::add);
      Duration converged = Duration.between(quiet, Instant.now());
      simulatedPeople.leaveAll();
      awaitAgreement(presenceObserver, "after the last leave", Instant.now()).ifPresent(late::add);
      awaitDeliveries();
      PresenceHistory presenceHistory = settled(presenceObserver, events);
      List<RuleViolation> findings = new ArrayList<>(late);
      findings.addAll(PresenceChecker.check(presenceHistory));
      if (!findings.isEmpty()) {
        PresenceHistoryFile.write(presenceHistory, folder);
      }
      return new RunReport(
          presencePlan.seed(),
          presenceHistory.operations(),
          late.isEmpty() ? Optional.of(converged) : Optional.empty(),
          List.copyOf(findings),
          List.of(),
          notes(presenceHistory, events),
          folder);
    }
  }

  @Override
  public void close() {
    var _ = threads.shutdownNow();
  }

  /** Carries out the plan for people and processes concurrently, polling meanwhile. */
  private void faultPhase(SimulatedPeople simulatedPeople, PresenceObserver presenceObserver) {
    presencePlan.faults().forEach(platform.faults()::set);
    long start = System.nanoTime();
    CompletableFuture<?> steps =
        CompletableFuture.runAsync(
            () -> presencePlan.steps().forEach(s -> perform(s, start, simulatedPeople)), threads);
    CompletableFuture<?> breaks =
        CompletableFuture.runAsync(
            () ->
                presencePlan
                    .plannedFaults()
                    .forEach(presencePlanStep -> injectFault(presencePlanStep, start)),
            threads);
    CompletableFuture<?> all = CompletableFuture.allOf(steps, breaks);
    while (!all.isDone()) {
      List<ObservedPresence> _ = presenceObserver.observe(rooms.keySet());
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = all.join();
    platform.faults().clear();
  }

  private static void perform(
      PresencePlanStep presencePlanStep, long start, SimulatedPeople simulatedPeople) {
    awaitTime(presencePlanStep.at(), start);
    switch (presencePlanStep) {
      case PresencePlanStep.JoinRoom joinRoom -> simulatedPeople.join(joinRoom);
      case PresencePlanStep.LeaveRoom leaveRoom -> simulatedPeople.leave(leaveRoom);
      case PresencePlanStep.KillPresenceServer _,
          PresencePlanStep.PausePresenceServer _,
          PresencePlanStep.StopRedisOfPresence _,
          PresencePlanStep.FlushRedisOfPresence _ ->
          throw new IllegalArgumentException(presencePlanStep + " is not a participant step");
    }
  }

  private void injectFault(PresencePlanStep presencePlanStep, long start) {
    awaitTime(presencePlanStep.at(), start);
    switch (presencePlanStep) {
      case PresencePlanStep.KillPresenceServer(Duration _, int server, Duration down) -> {
        presenceServers.kill(server);
        lastKill = Instant.now();
        LockSupport.parkNanos(down.toNanos());
        presenceServers.restart(server);
      }
      case PresencePlanStep.PausePresenceServer(Duration _, int server, Duration span) -> {
        // Polls must be in flight: on resuming, the server commits outdated responses.
        FaultSetting before = platform.faults().get(FaultKind.API_SLOW);
        platform.faults().set(FaultKind.API_SLOW, SLOW);
        LockSupport.parkNanos(SLOW.amount().dividedBy(2).toNanos());
        presenceServers.pause(server, true);
        platform.faults().set(FaultKind.API_SLOW, before);
        lastKill = Instant.now();
        LockSupport.parkNanos(span.toNanos());
        presenceServers.pause(server, false);
      }
      case PresencePlanStep.StopRedisOfPresence(Duration _, Duration down) -> {
        chaosEnvironment.stores().redis().stop();
        LockSupport.parkNanos(down.toNanos());
        chaosEnvironment.stores().redis().restart();
      }
      case PresencePlanStep.FlushRedisOfPresence _ -> {
        chaosEnvironment.stores().redis().flush();
        forgetting.add(Instant.now());
      }
      case PresencePlanStep.JoinRoom _, PresencePlanStep.LeaveRoom _ ->
          throw new IllegalArgumentException(presencePlanStep + " is not a fault");
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
   * Polls until every meeting shows its actual participants; returns the difference on a timeout.
   */
  private Optional<RuleViolation> awaitAgreement(
      PresenceObserver presenceObserver, String when, Instant since) {
    Instant takenOver = lastKill.plus(PresenceRunConfig.TAKE_OVER);
    Instant deadline =
        (takenOver.isAfter(since) ? takenOver : since).plus(PresenceRunConfig.freshness());
    while (true) {
      List<ActualVisit> visits = PresenceObservations.visits(platform.truth(), forgetting);
      List<ObservedPresence> reads = presenceObserver.observe(rooms.keySet());
      List<String> differences =
          reads.stream()
              .flatMap(
                  observedPresence ->
                      PresenceComparison.difference(
                          observedPresence,
                          visits,
                          rooms.getOrDefault(observedPresence.meetingId(), ""),
                          observedPresence.askedAt())
                          .stream())
              .toList();
      if (reads.size() == rooms.size() && differences.isEmpty()) {
        return Optional.empty();
      }
      if (Instant.now().isAfter(deadline)) {
        return Optional.of(
            new RuleViolation(
                ViolationKind.NOT_CONVERGED,
                "%s, %d s later: %d of %d meetings answered, %s"
                    .formatted(
                        when,
                        Duration.between(since, deadline).toSeconds(),
                        reads.size(),
                        rooms.size(),
                        String.join("; ", differences))));
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
  private PresenceHistory settled(PresenceObserver presenceObserver, EventStreamReader events)
      throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + SETTLE.toNanos();
    while (true) {
      PresenceHistory presenceHistory = gather(presenceObserver, events);
      if (PresenceChecker.check(presenceHistory).isEmpty() || System.nanoTime() - deadline > 0) {
        return presenceHistory;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  private PresenceHistory gather(PresenceObserver presenceObserver, EventStreamReader events)
      throws SQLException, InterruptedException {
    SimulationTruth simulationTruth = platform.truth();
    try (Connection connection =
        chaosEnvironment.stores().postgres().connect(presenceServers.database())) {
      PresenceRows presenceRows = new PresenceRows(connection);
      List<ObservedEvent> journal = presenceRows.journal();
      long last = journal.isEmpty() ? 0 : journal.getLast().seq();
      boolean _ = events.awaitSeq(last, SETTLE);
      return new PresenceHistory(
          presenceBounds,
          PresenceObservations.visits(simulationTruth, forgetting),
          presenceRows.sessions(),
          presenceRows.meetings(),
          presenceObserver.observations(),
          events.events().stream()
              .filter(event -> event.seq() <= last)
              .map(
                  event ->
                      PresenceRows.fromJournal(
                          event.seq(), event.type(), event.subject(), event.data()))
              .toList(),
          journal,
          PresenceObservations.calls(simulationTruth));
    }
  }

  private List<String> notes(PresenceHistory presenceHistory, EventStreamReader events)
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
                presenceHistory.stream().size(),
                events.connections(),
                presenceServers.staleWritesRefused()));
  }
}

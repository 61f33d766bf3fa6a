package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.Fault;
import io.convoke.chaos.kernel.RunClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * What is requested after the storm, with one fault at a time, so that rules need not excuse what
 * they judge.
 */
final class CalmPhase {
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  /** A task has waited for so long when Redis is emptied, so that another window shows. */
  private static final Duration HALF_OF_ITS_TIME = DispatchRunConfig.WINDOW.dividedBy(2);

  /** How long a store is away while programs end. */
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(3);

  /** How long a task runs before a server without Redis is asked to stop it. */
  private static final Duration BEFORE_STOP = Duration.ofSeconds(1);

  /** Longer than a program runs that is stopped meanwhile. */
  private static final Duration LEFT_MAX = Duration.ofSeconds(20);

  /** Twice the slots of a region, and so many more that a share of them is seen. */
  private static final int FULL = 8;

  private static final int MORE = 16;

  /**
   * A pod hangs for so long: more than half of a lease, and less than one with its last renewal.
   */
  private static final Duration HANGS = Duration.ofMillis(3300);

  /** Until another pod has its task. */
  private static final Duration HANGS_FOR_LONG = Duration.ofSeconds(7);

  /** Attempts of a task that have failed when Redis is emptied. */
  private static final int FAILED_BEFORE = 3;

  /** A drain after the storm, and the writes with its end that Redis loses half a second later. */
  private static final Duration DRAINED = Duration.ofSeconds(2);

  private static final Duration LOST = Duration.ofSeconds(1);
  private static final Duration HEARD = Duration.ofMillis(500);

  private final DispatchPlan plan;
  private final DispatchCluster cluster;
  private final TaskClients clients;
  private final TaskReads taskReads;
  private final FaultInjector injector;
  private final DispatchFaultLog faultLog;
  private final ExecutorService threads;

  CalmPhase(
      DispatchPlan plan,
      DispatchCluster cluster,
      TaskClients clients,
      TaskReads taskReads,
      FaultInjector injector,
      DispatchFaultLog faultLog,
      ExecutorService threads) {
    this.plan = plan;
    this.cluster = cluster;
    this.clients = clients;
    this.taskReads = taskReads;
    this.injector = injector;
    this.faultLog = faultLog;
    this.threads = threads;
  }

  /** Carries it out; returns when all has been requested. */
  void carryOut() {
    CalmTasks.withoutSuccess(plan.seed()).forEach(clients::accepted);
    taskReads.uniqueInTurn(plan.seed());
    upgradePods();
    CalmTasks.ofAPodThatHangs(plan.seed()).forEach(task -> hang(task, HANGS, "SUCCESS 1"));
    CalmTasks.ofAPodThatLosesItsLease(plan.seed())
        .forEach(task -> hang(task, HANGS_FOR_LONG, "SUCCESS 2"));
    CalmTasks.inTurn(plan.seed()).forEach(clients::accepted);
    CalmTasks.waitsWhileEmptied(plan.seed()).forEach(clients::accepted);
    RunClock waits = new RunClock();
    busyRegions();
    CalmTasks.inABusyRegion(plan.seed()).forEach(clients::accepted);
    emptied(waits);
    outages();
    if (plan.seed() % 3 == 2) {
      loseResume();
    }
  }

  /** Tasks without a region wait beside more tasks of each region than that has slots. */
  private void busyRegions() {
    together(CalmTasks.inAllRegions(plan.seed(), "full", FULL));
    CalmTasks.withoutRegion(plan.seed()).forEach(clients::accepted);
    together(CalmTasks.inAllRegions(plan.seed(), "more", MORE));
  }

  private void together(List<PlannedTask> tasks) {
    CompletableFuture.allOf(
            tasks.stream()
                .map(task -> CompletableFuture.runAsync(() -> clients.accepted(task), threads))
                .toArray(CompletableFuture[]::new))
        .join();
  }

  /**
   * Empties Redis while tasks wait for their region and one has failed some times, and nothing else
   * is wrong.
   */
  private void emptied(RunClock waits) {
    List<PlannedTask> waiting = CalmTasks.whileEmptied(plan.seed());
    if (!waiting.isEmpty()) {
      CalmTasks.failsWhileEmptied(plan.seed())
          .flatMap(clients::accepted)
          .ifPresent(id -> awaitThat(() -> taskReads.attemptOf(id) > FAILED_BEFORE));
      waits.await(HALF_OF_ITS_TIME);
      waiting.forEach(clients::accepted);
      injector.inject(new DispatchFault.OnServers(new Fault.FlushRedis(Duration.ZERO)));
    }
  }

  /**
   * Stops the pods of a region as an upgrade does, while one of their tasks ends in time and others
   * do not; in one seed of three while the servers are restarted too.
   */
  private void upgradePods() {
    List<String> ids = new ArrayList<>();
    for (PlannedTask task : CalmTasks.duringAnUpgrade(plan.seed())) {
      clients.accepted(task).ifPresent(ids::add);
      awaitOther(ids.getLast(), Set.of("PENDING"));
    }
    taskReads.running(ids.getLast());
    List<ChaosProgram> pods =
        IntStream.iterate(0, i -> i < plan.pods(), i -> i + DispatchRunConfig.REGIONS.size())
            .mapToObj(cluster.programs()::get)
            .toList();
    CompletableFuture<Void> servers =
        plan.seed() % 3 == 1
            ? CompletableFuture.runAsync(
                () ->
                    injector.inject(
                        new DispatchFault.OnServers(new Fault.RollServers(Duration.ZERO))),
                Thread.ofPlatform()::start)
            : CompletableFuture.completedFuture(null);
    List<String> names = pods.stream().flatMap(pod -> pod.printed().stream()).toList();
    Instant from = Instant.now();
    CompletableFuture.allOf(
            pods.stream()
                .map(pod -> CompletableFuture.runAsync(pod::stop, Thread.ofPlatform()::start))
                .toArray(CompletableFuture[]::new))
        .join();
    names.forEach(name -> faultLog.drained(name, from, Instant.now()));
    taskReads.gone(names);
    ids.forEach(id -> awaitOther(id, Set.of("PENDING", "PROCESSING")));
    taskReads.ended(
        "tasks of pods that were stopped, two of which were returned",
        List.of("SUCCESS 2", "SUCCESS 1", "SUCCESS 2"),
        ids);
    pods.forEach(ChaosProgram::restart);
    servers.join();
  }

  /** The pod of a task hangs. */
  private void hang(PlannedTask task, Duration span, String expected) {
    String id = clients.accepted(task).orElse("");
    awaitOther(id, Set.of("PENDING"));
    Optional<String> pod = Optional.of(taskReads.podOf(id));
    IntStream.range(0, plan.pods())
        .filter(i -> cluster.programs().get(i).printed().equals(pod))
        .mapToObj(i -> new Fault.HangServer(Duration.ZERO, i, span))
        .forEach(hangs -> injector.inject(new DispatchFault.OnPods(hangs)));
    awaitOther(id, Set.of("PENDING", "PROCESSING"));
    taskReads.ended("a task whose pod hung", List.of(expected), List.of(id));
  }

  /**
   * Redis loses its last second, in which a pod was resumed and heard of it, and in which a task
   * began; that is stopped while Redis is away.
   */
  private void loseResume() {
    CompletableFuture<Void> loss =
        CompletableFuture.runAsync(
            () -> {
              LockSupport.parkNanos(DRAINED.minus(HEARD).toNanos());
              injector.inject(
                  new DispatchFault.OnServers(
                      new Fault.LoseLastWrites(Duration.ZERO, LOST, ENDS_WITHIN)));
            },
            Thread.ofPlatform()::start);
    injector.inject(new DispatchFault.DrainPod(Duration.ZERO, 0, DRAINED));
    PlannedTask begun = CalmTasks.stoppedWhileForgotten(plan.seed());
    Optional<String> id = clients.accepted(begun);
    LockSupport.parkNanos(LOST.toNanos());
    id.ifPresent(it -> clients.stop(begun, it));
    loss.join();
  }

  /**
   * A server that Redis does not answer is asked to stop a task, while others relay what that does;
   * then each store is away while programs end.
   */
  private void outages() {
    Optional<PlannedTask> stopped = CalmTasks.stoppedWithoutRedis(plan.seed());
    Optional<String> id = stopped.flatMap(clients::accepted);
    if (id.isPresent()) {
      awaitOther(id.get(), Set.of("PENDING"));
      LockSupport.parkNanos(BEFORE_STOP.toNanos());
      injector.inject(
          new DispatchFault.OnServers(
              new Fault.SilentNetwork(Duration.ZERO, 0, Fault.Store.REDIS)));
      clients.stop(stopped.get(), id.get(), () -> 0);
      awaitOther(id.get(), Set.of("PENDING", "PROCESSING"));
    }
    endDuring("redis", new Fault.RedisAway(Duration.ZERO, Fault.StoreFailure.STOPS, ENDS_WITHIN));
    endDuring(
        "postgres", new Fault.PostgresAway(Duration.ZERO, Fault.StoreFailure.STOPS, ENDS_WITHIN));
  }

  /** A store is away while programs end. */
  private void endDuring(String store, Fault away) {
    List<String> ending =
        CalmTasks.endInAnOutage(plan.seed(), store).stream()
            .flatMap(task -> clients.accepted(task).stream())
            .toList();
    if (!ending.isEmpty()) {
      ending.forEach(task -> awaitOther(task, Set.of("PENDING")));
      injector.inject(new DispatchFault.OnServers(away));
    }
  }

  /** Waits until a task has left these states, for a while at most. */
  private void awaitOther(String id, Set<String> states) {
    awaitThat(() -> !states.contains(taskReads.stateOf(id)));
  }

  private static void awaitThat(BooleanSupplier holds) {
    long end = System.nanoTime() + LEFT_MAX.toNanos();
    while (System.nanoTime() - end < 0 && !holds.getAsBoolean()) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }
}

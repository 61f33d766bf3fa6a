package io.convoke.chaos.dispatch;

import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Injects the planned faults, and logs them with their times. */
final class FaultInjector {
  private static final Duration LOOK_EVERY = Duration.ofMillis(10);

  /** If no program logs the keyword within this time, the kill is skipped. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  /** A server that is ready again has run its maintenance. */
  private static final Duration SETTLED = Duration.ofSeconds(1);

  /** Time until the kernel detects a silenced connection. */
  private static final Duration UNHEARD = Duration.ofSeconds(10);

  /**
   * Longer than a server needs to become ready again and to detect that another died while
   * comparing.
   */
  private static final Duration COMPARED_MAX = Duration.ofSeconds(30);

  /** Time within which a server compares Redis with the task table once it is back. */
  private static final Duration COMPARED_SOON = Duration.ofSeconds(6);

  private static final int ASKERS = 4;

  /** When a killed process becomes reachable again. */
  private static final CompletableFuture<Instant> NEVER = new CompletableFuture<>();

  private final DispatchPlan dispatchPlan;
  private final DispatchCluster dispatchCluster;
  private final EmbeddedRedis redis;
  private final EmbeddedPostgres embeddedPostgres;
  private final TaskObservations taskObservations;
  private final TaskClients taskClients;
  private final DispatchFaultLog dispatchFaultLog;
  private final ExecutorService threads;
  private final ConcurrentHashMap<String, ReentrantLock> operators = new ConcurrentHashMap<>();

  /** Pods with an unanswered "resume" request that may still take effect. */
  private final Set<String> resumedLate = ConcurrentHashMap.newKeySet();

  FaultInjector(
      DispatchPlan dispatchPlan,
      DispatchCluster dispatchCluster,
      LocalStores localStores,
      TaskObservations taskObservations,
      TaskClients taskClients,
      DispatchFaultLog dispatchFaultLog,
      ExecutorService threads) {
    this.dispatchPlan = dispatchPlan;
    this.dispatchCluster = dispatchCluster;
    this.redis = localStores.redis();
    this.embeddedPostgres = localStores.postgres();
    this.taskObservations = taskObservations;
    this.taskClients = taskClients;
    this.dispatchFaultLog = dispatchFaultLog;
    this.threads = threads;
  }

  /** Injects the fault; returns when it is over. */
  void inject(DispatchFault dispatchFault) {
    switch (dispatchFault) {
      case DispatchFault.KillPod(Duration _, int pod, Duration down) ->
          kill(dispatchCluster.pods().get(pod), down);
      case DispatchFault.KillPodAtPoint(Duration _, String point, Duration down) ->
          injectAtPoint(dispatchFault, point, pod -> kill(pod, down));
      case DispatchFault.KillDispatchServer(Duration _, int server, Duration down) ->
          killServer(server, down);
      case DispatchFault.KillServerAfterRequests(
              Duration _,
              int server,
              Duration after,
              Duration down) -> {
        ask(server);
        LockSupport.parkNanos(after.toNanos());
        killServer(server, down);
      }
      case DispatchFault.PausePod(Duration _, int number, Duration span) -> {
        ClusterProcess pod = dispatchCluster.pods().get(number);
        silent(
            pod,
            "it hung",
            () -> pod.hang(span).map(CompletableFuture::completedFuture).orElse(NEVER));
      }
      case DispatchFault.PauseDispatchServer(Duration _, int server, Duration span) -> {
        Instant now = Instant.now();
        dispatchFaultLog.away(server, now, now.plus(span).plus(SETTLED));
        Optional<Instant> _ = dispatchCluster.servers().get(server).hang(span);
      }
      case DispatchFault.KillRedis(Duration _, Duration down) -> {
        Instant now = Instant.now();
        redis.kill();
        restart("Redis was killed", now, down);
      }
      case DispatchFault.LoseRedisWrites(Duration _, Duration lost, Duration down) -> {
        Instant now = Instant.now();
        long written = redis.written();
        LockSupport.parkNanos(lost.toNanos());
        redis.killLosing(written);
        restart("Redis lost power", now, down);
      }
      case DispatchFault.FlushRedisOfTasks _ -> {
        Instant now = Instant.now();
        redis.flush();
        forgot("Redis lost all data", now);
      }
      case DispatchFault.CutRedisConnections _ -> {
        Instant now = Instant.now();
        redis.cut();
        dispatchFaultLog.trouble(
            FaultTimeline.REDIS,
            "connections broke",
            now,
            Instant.now().plus(DispatchRunConfig.RECOVERED),
            false);
      }
      case DispatchFault.BlackholePod(Duration _, int number) -> {
        ClusterProcess pod = dispatchCluster.pods().get(number);
        silent(pod, "it was disconnected", pod::silence);
      }
      case DispatchFault.DelayNextPod(Duration _, Duration span) ->
          injectAtPoint(
              dispatchFault,
              "begin",
              pod -> silent(pod, "its output came late", () -> pod.slow(span)));
      case DispatchFault.ReplayNextPod(Duration _, Duration moment, Duration span) ->
          injectAtPoint(dispatchFault, "begin", pod -> pod.slow(moment, span));
      case DispatchFault.KillServerWhileWriting(
              Duration _,
              int server,
              Duration hanging,
              Duration down) -> {
        Instant now = Instant.now();
        embeddedPostgres.pause(true);
        try {
          LockSupport.parkNanos(hanging.toNanos());
          dispatchFaultLog.killed();
          dispatchCluster.servers().get(server).kill();
        } finally {
          embeddedPostgres.pause(false);
        }
        dispatchFaultLog.trouble(
            FaultTimeline.POSTGRES, "Postgres hung", now, Instant.now().plus(SETTLED), false);
        again(server, now, down);
      }
      case DispatchFault.DrainPod(Duration _, int number, Duration span) ->
          dispatchCluster
              .pods()
              .get(number)
              .podName()
              .ifPresentOrElse(
                  name -> drain(name, span),
                  () -> dispatchFaultLog.missed(dispatchFault + ": it is not up"));
      case DispatchFault.BlackholeServer(Duration _, int server) -> {
        Instant now = Instant.now();
        dispatchFaultLog.away(server, now, now.plus(UNHEARD));
        var _ = dispatchCluster.servers().get(server).silence();
      }
    }
  }

  /** One operator at a time for each pod, so that drains do not overlap. */
  private void drain(String pod, Duration span) {
    ReentrantLock operator = operators.computeIfAbsent(pod, _ -> new ReentrantLock());
    operator.lock();
    try {
      TaskClients.PodCommandReply podCommandReply = taskClients.sendPodCommand(pod, "drain");
      Instant from = Instant.now();
      LockSupport.parkNanos(span.toNanos());
      if (podCommandReply.status() == 202 && !resumedLate.contains(pod)) {
        dispatchFaultLog.drained(pod, from, Instant.now());
      }
      if (!taskClients.sendPodCommand(pod, "resume").once()) {
        boolean _ = resumedLate.add(pod);
      }
    } finally {
      operator.unlock();
    }
  }

  private void restart(String what, Instant from, Duration down) {
    LockSupport.parkNanos(down.toNanos());
    redis.restart();
    forgot(what, from);
  }

  /**
   * Waits until a server has compared Redis with the task table; maintenance is impossible before.
   */
  private void forgot(String what, Instant from) {
    Instant back = Instant.now();
    long end = System.nanoTime() + COMPARED_MAX.toNanos();
    while (!compared() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    Instant compared = Instant.now();
    dispatchFaultLog.compared(Duration.between(back, compared));
    // How long it took the servers is no excuse for them.
    Instant latest = back.plus(COMPARED_SOON);
    Instant earliest = back.plus(DispatchRunConfig.RECOVERED);
    Instant known = compared.isAfter(latest) ? latest : compared;
    dispatchFaultLog.trouble(
        FaultTimeline.REDIS, what, from, known.isAfter(earliest) ? known : earliest, true);
  }

  private boolean compared() {
    String known = redis.get("convoke:dispatch:server");
    return !known.isEmpty()
        && !redis.get("convoke:dispatch:generation").isEmpty()
        && known.equals(redis.runId());
  }

  private void kill(ClusterProcess pod, Duration down) {
    silent(
        pod,
        "it was killed",
        () -> {
          pod.kill();
          return NEVER;
        });
    dispatchFaultLog.killed();
    LockSupport.parkNanos(down.toNanos());
    boolean _ = pod.startAgain();
  }

  /**
   * Makes a pod unreachable.
   *
   * @param injection returns when it becomes reachable again
   */
  private void silent(
      ClusterProcess pod, String why, Supplier<CompletableFuture<Instant>> injection) {
    Optional<String> name = pod.podName();
    Instant from = pod.lastContact();
    CompletableFuture<Instant> reconnected = injection.get();
    name.ifPresent(it -> dispatchFaultLog.silent(it, why, from, reconnected));
  }

  private void killServer(int number, Duration down) {
    ClusterProcess server = dispatchCluster.servers().get(number);
    Instant now = Instant.now();
    dispatchFaultLog.killed();
    server.kill();
    again(number, now, down);
  }

  private void again(int number, Instant dead, Duration down) {
    ClusterProcess server = dispatchCluster.servers().get(number);
    LockSupport.parkNanos(down.toNanos());
    boolean _ = server.startAgain();
    boolean works = server.awaitWork();
    dispatchFaultLog.away(number, dead, works ? Instant.now().plus(SETTLED) : Instant.now());
  }

  private void injectAtPoint(
      DispatchFault dispatchFault, String point, Consumer<ClusterProcess> injection) {
    try {
      int seen = taskObservations.read().size();
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() - end < 0) {
        Optional<ClusterProcess> reached =
            taskObservations.read().stream()
                .skip(seen)
                .filter(taskObservation -> taskObservation.point().equals(point))
                .findFirst()
                .flatMap(taskObservation -> alive(taskObservation.life()));
        if (reached.isPresent()) {
          injection.accept(reached.get());
          return;
        }
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
      dispatchFaultLog.missed(dispatchFault + ": no program printed it");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<ClusterProcess> alive(String life) {
    return dispatchCluster.pods().stream().filter(pod -> pod.processId().equals(life)).findFirst();
  }

  /** Several concurrent requests, half of which fall back to other servers. */
  private void ask(int server) {
    long number = System.nanoTime();
    IntStream.range(0, ASKERS)
        .mapToObj(
            i ->
                new PlannedTask(
                    Duration.ZERO,
                    "req-t%d-%d-%d".formatted(dispatchPlan.seed(), number, i),
                    Optional.empty(),
                    "record",
                    "lobby",
                    Optional.empty(),
                    false,
                    new TaskFaultPlan(
                        TaskFaultPlan.TaskFaultKind.SUCCEEDS, Duration.ofMillis(100), 0),
                    i % 2 == 0,
                    0,
                    List.of()))
        .forEach(plannedTask -> threads.execute(() -> taskClients.want(plannedTask, server)));
  }
}

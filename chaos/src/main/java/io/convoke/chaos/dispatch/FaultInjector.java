package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Injects the planned faults. */
final class FaultInjector {
  private static final Duration LOOK_EVERY = Duration.ofMillis(10);

  /** If no program logs the keyword within this time, the kill is skipped. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  /**
   * Longer than a server needs to become ready again and to detect that another died while
   * comparing.
   */
  private static final Duration COMPARED_MAX = Duration.ofSeconds(30);

  private static final int RESUMES_MAX = 70;
  private static final Duration RESUME_AGAIN = Duration.ofMillis(500);

  private final DispatchCluster cluster;
  private final FaultInjection servers;
  private final FaultInjection pods;
  private final EmbeddedRedis redis;
  private final TaskObservations observations;
  private final TaskClients clients;
  private final DispatchFaultLog faultLog;
  private final ConcurrentHashMap<String, ReentrantLock> operators = new ConcurrentHashMap<>();

  /** Pods with an unanswered "resume" request that may still take effect. */
  private final Set<String> resumedLate = ConcurrentHashMap.newKeySet();

  FaultInjector(
      ChaosEnvironment environment,
      DispatchCluster cluster,
      FaultTimeline timeline,
      TaskObservations observations,
      TaskClients clients,
      DispatchFaultLog faultLog) {
    this.cluster = cluster;
    this.servers = new FaultInjection(environment, cluster.servers(), timeline);
    this.pods = new FaultInjection(environment, cluster, timeline);
    this.redis = environment.stores().redis();
    this.observations = observations;
    this.clients = clients;
    this.faultLog = faultLog;
  }

  /** Injects the fault; returns when it is over. */
  void inject(DispatchFault dispatchFault) {
    switch (dispatchFault) {
      case DispatchFault.OnServers(Fault fault) -> {
        servers.inject(fault);
        if (forgets(fault)) {
          awaitComparison();
        }
      }
      case DispatchFault.OnPods(Fault fault) -> pods.inject(fault);
      case DispatchFault.KillPodAtPoint(Duration _, String point, Duration down) ->
          injectAtPoint(
              dispatchFault,
              point,
              pod ->
                  pods.killed(
                      List.of(cluster.programs().indexOf(pod)),
                      () -> LockSupport.parkNanos(down.toNanos())));
      case DispatchFault.DelayNextPod(Duration _, Duration span) ->
          injectAtPoint(dispatchFault, "begin", pod -> pod.late(Fault.Store.REDIS, span));
      case DispatchFault.ReplayNextPod(Duration _, Duration moment, Duration span) ->
          injectAtPoint(
              dispatchFault, "begin", pod -> pod.replayed(Fault.Store.REDIS, moment, span));
      case DispatchFault.DrainPod(Duration _, int number, Duration span) ->
          upFrom(number)
              .flatMap(ChaosProgram::printed)
              .ifPresentOrElse(
                  name -> drain(name, span),
                  () -> faultLog.missed(dispatchFault + ": it is not up"));
    }
  }

  /** This pod, or the next that is up. */
  private Optional<ChaosProgram> upFrom(int number) {
    List<ChaosProgram> pods = cluster.programs();
    return IntStream.range(number, number + pods.size())
        .mapToObj(i -> pods.get(i % pods.size()))
        .filter(ChaosProgram::undisturbed)
        .findFirst();
  }

  /** Whether Redis may have lost data, or is another server after it. */
  private static boolean forgets(Fault fault) {
    return fault instanceof Fault.FlushRedis
        || fault instanceof Fault.LoseLastWrites
        || (fault instanceof Fault.RedisAway(_, Fault.StoreFailure how, _)
            && how != Fault.StoreFailure.HANGS);
  }

  /** Waits until a server has compared Redis with the task table, which it does soon. */
  private void awaitComparison() {
    Instant back = Instant.now();
    long end = System.nanoTime() + COMPARED_MAX.toNanos();
    while (!compared() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    faultLog.compared(back, Instant.now());
  }

  /** One operator at a time for each pod, so that drains do not overlap. */
  private void drain(String pod, Duration span) {
    ReentrantLock operator = operators.computeIfAbsent(pod, _ -> new ReentrantLock());
    operator.lock();
    Instant begin = Instant.now();
    try {
      TaskClients.PodCommandReply reply = clients.sendPodCommand(pod, "drain");
      if (!reply.once()) {
        faultLog.mayDrainLate();
      }
      Instant from = Instant.now();
      LockSupport.parkNanos(span.toNanos());
      if (reply.status() == 202 && !resumedLate.contains(pod)) {
        faultLog.drained(pod, from, Instant.now());
      }
      TaskClients.PodCommandReply resumed = clients.sendPodCommand(pod, "resume");
      // An emptied Redis does not know the pod until that reports again, within 30 s if it is idle.
      for (int i = 0; i < RESUMES_MAX && resumed.status() == 404 && isUp(pod); i++) {
        LockSupport.parkNanos(RESUME_AGAIN.toNanos());
        resumed = clients.sendPodCommand(pod, "resume");
      }
      if (!resumed.once()) {
        boolean _ = resumedLate.add(pod);
      }
    } finally {
      servers.timeline().add(new FaultWindow("drain", pod, begin, Instant.now()));
      operator.unlock();
    }
  }

  private boolean isUp(String pod) {
    return cluster.programs().stream().anyMatch(it -> it.printed().equals(Optional.of(pod)));
  }

  private boolean compared() {
    String known = redis.get("convoke:dispatch:server");
    return !known.isEmpty()
        && !redis.get("convoke:dispatch:generation").isEmpty()
        && known.equals(redis.runId());
  }

  private void injectAtPoint(
      DispatchFault dispatchFault, String point, Consumer<ChaosProgram> injection) {
    try {
      int seen = observations.read().size();
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() - end < 0) {
        Optional<ChaosProgram> reached =
            observations.read().stream()
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
      faultLog.missed(dispatchFault + ": no program printed it");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<ChaosProgram> alive(String life) {
    return cluster.programs().stream().filter(pod -> pod.processName().equals(life)).findFirst();
  }
}

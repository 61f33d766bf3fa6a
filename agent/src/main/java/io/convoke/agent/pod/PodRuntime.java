package io.convoke.agent.pod;

import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.redis.Redis;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A pod with its connections and ports, from start to orderly shutdown. */
final class PodRuntime implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PodRuntime.class);

  /** Half of the time between a lost lease and its end. */
  private static final int LEASES_PER_LAST_GRACE = 20;

  private static final Duration LAST_GRACE_MAX = Duration.ofSeconds(2);

  private final PodOptions plan;
  private final PodId name;
  private final Redis redis;
  private final Optional<ProcessGroupReaper> processGroupReaper;
  private final Pod pod;
  private final Optional<HealthPort> health;
  private final CountDownLatch connected = new CountDownLatch(1);
  private volatile boolean draining;

  /**
   * Starts claiming as soon as Redis is reachable.
   *
   * @param environment of the programs that it runs, without {@code CONVOKE_*}
   */
  PodRuntime(
      PodOptions plan,
      PodSettings settings,
      Map<String, TaskHandler> handlers,
      Map<String, String> environment)
      throws IOException {
    this.plan = plan;
    this.name = new PodId(PodOptions.freshName(), plan.region());
    PodCapacity podCapacity = plan.capacity(handlers.keySet());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    PodMetrics meters = new PodMetrics(registry);
    this.processGroupReaper =
        plan.exec().isPresent() ? Optional.of(new ProcessGroupReaper()) : Optional.empty();
    Map<String, TaskHandler> byType = new HashMap<>();
    Optional<TaskHandler> exec =
        plan.exec()
            .map(
                command ->
                    new ExecHandler(
                        command,
                        processGroupReaper.orElseThrow(),
                        plan.grace(),
                        lastGrace(settings.config().lease()),
                        environment));
    if (!plan.takesAll()) {
      byType.putAll(handlers);
      exec.ifPresent(program -> plan.types().forEach(type -> byType.put(type, program)));
    }
    TaskRouter taskRouter =
        new TaskRouter(
            byType, plan.takesAll() ? exec : Optional.empty(), settings.tokens(), meters);
    this.redis = Redis.open(settings.redisUrl());
    redis.onConnect(connected::countDown);
    // Before the pod, which may have tasks at once.
    this.health =
        plan.port().isPresent()
            ? Optional.of(
                new HealthPort(
                    plan.host(),
                    plan.port().getAsInt(),
                    () -> redis.available() && !draining,
                    registry::scrape))
            : Optional.empty();
    this.pod = new Pod(redis, name, plan.slots(), podCapacity, settings.config(), taskRouter);
    meters.slots(plan.slots(), () -> pod.running().size());
    log.atInfo()
        .addKeyValue("pod_id", name.id())
        .addKeyValue("region", plan.region())
        .addKeyValue("slots", plan.slots())
        .log("Pod {} claims tasks of region {}", name.id(), plan.region());
  }

  /** Waits for the first connection to Redis. */
  void awaitRedis() throws InterruptedException {
    connected.await();
  }

  /** The URL of its health port, or else its id. */
  String address() {
    return health.map(HealthPort::url).orElse("pod:" + name.id());
  }

  /** Stops claiming, lets running tasks end within the drain time and returns the rest. */
  @Override
  public void close() {
    draining = true;
    List<String> left = pod.running().stream().map(Task::id).toList();
    log.info("Pod {} shuts down with {} running tasks: {}", name.id(), left.size(), left);
    boolean all = pod.drain(plan.drain());
    log.info("Pod {} has shut down{}", name.id(), all ? "" : "; returned the remaining tasks");
    health.ifPresent(HealthPort::close);
    processGroupReaper.ifPresent(ProcessGroupReaper::close);
    redis.close();
  }

  private static Duration lastGrace(Duration lease) {
    Duration part = lease.dividedBy(LEASES_PER_LAST_GRACE);
    return part.compareTo(LAST_GRACE_MAX) < 0 ? part : LAST_GRACE_MAX;
  }
}

package io.convoke.agent.pod;

import io.convoke.engine.crypto.AccessTokenSealer;
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

/** A pod with all that it stands on, from the first connection to the orderly end. */
final class PodRuntime implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PodRuntime.class);

  /** Half of the time that the engine leaves a handler between losing a lease and its end. */
  private static final int LEASES_PER_LAST_GRACE = 20;

  private static final Duration LAST_GRACE_MAX = Duration.ofSeconds(2);

  private final PodOptions plan;
  private final PodId name;
  private final Redis redis;
  private final Optional<ProcessGroupReaper> warden;
  private final Pod pod;
  private final Optional<HealthPort> health;
  private final CountDownLatch connected = new CountDownLatch(1);
  private volatile boolean draining;

  /**
   * Starts to take tasks as soon as Redis is there.
   *
   * @param environment of the programs that it runs, ours taken out
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
    this.warden =
        plan.exec().isPresent() ? Optional.of(new ProcessGroupReaper()) : Optional.empty();
    Map<String, TaskHandler> byType = new HashMap<>();
    Optional<TaskHandler> exec =
        plan.exec()
            .map(
                command ->
                    new ExecHandler(
                        command,
                        warden.orElseThrow(),
                        plan.grace(),
                        lastGrace(settings.config().lease()),
                        environment));
    if (!plan.takesAll()) {
      byType.putAll(handlers);
      exec.ifPresent(program -> plan.types().forEach(type -> byType.put(type, program)));
    }
    TaskRouter taskRouter =
        new TaskRouter(
            byType,
            plan.takesAll() ? exec : Optional.empty(),
            new AccessTokenSealer(settings.secrets()),
            meters);
    this.redis = Redis.open(settings.redisUrl());
    redis.onConnect(connected::countDown);
    this.pod = new Pod(redis, name, plan.slots(), podCapacity, settings.config(), taskRouter);
    meters.slots(plan.slots(), () -> pod.running().size());
    this.health =
        plan.port().isPresent()
            ? Optional.of(
                new HealthPort(
                    plan.host(),
                    plan.port().getAsInt(),
                    () -> redis.available() && !draining,
                    registry::scrape))
            : Optional.empty();
    log.atInfo()
        .addKeyValue("pod_id", name.id())
        .addKeyValue("region", plan.region())
        .addKeyValue("slots", plan.slots())
        .log("pod {} takes tasks of {}", name.id(), plan.region());
  }

  /** Waits until Redis has answered once. */
  void awaitRedis() throws InterruptedException {
    connected.await();
  }

  /** Where it can be asked how it is, or else its name. */
  String address() {
    return health.map(HealthPort::url).orElse("pod:" + name.id());
  }

  /** Takes nothing any more, lets what runs end within its bound, and gives the rest back. */
  @Override
  public void close() {
    draining = true;
    List<String> left = pod.running().stream().map(Task::id).toList();
    log.info("pod {} ends, with {} tasks on its hands: {}", name.id(), left.size(), left);
    boolean all = pod.drain(plan.drain());
    log.info("pod {} has ended{}", name.id(), all ? "" : ", what was left is given back");
    health.ifPresent(HealthPort::close);
    warden.ifPresent(ProcessGroupReaper::close);
    redis.close();
  }

  private static Duration lastGrace(Duration lease) {
    Duration part = lease.dividedBy(LEASES_PER_LAST_GRACE);
    return part.compareTo(LAST_GRACE_MAX) < 0 ? part : LAST_GRACE_MAX;
  }
}

package io.convoke.agent.pod;

import io.convoke.engine.dispatch.Capacity;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodName;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.seal.AccessTokens;
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
final class LivePod implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LivePod.class);

  /** Half of the time that the engine leaves a handler between losing a lease and its end. */
  private static final int LEASES_PER_LAST_GRACE = 20;

  private static final Duration LAST_GRACE_MAX = Duration.ofSeconds(2);

  private final PodPlan plan;
  private final PodName name;
  private final Redis redis;
  private final Optional<Warden> warden;
  private final Pod pod;
  private final Optional<HealthPort> health;
  private final CountDownLatch connected = new CountDownLatch(1);
  private volatile boolean draining;

  /**
   * Starts to take tasks as soon as Redis is there.
   *
   * @param environment of the programs that it runs, ours taken out
   */
  LivePod(
      PodPlan plan,
      PodSettings settings,
      Map<String, TaskHandler> handlers,
      Map<String, String> environment)
      throws IOException {
    this.plan = plan;
    this.name = new PodName(PodPlan.freshName(), plan.region());
    Capacity capacity = plan.capacity(handlers.keySet());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    PodMeters meters = new PodMeters(registry);
    this.warden = plan.exec().isPresent() ? Optional.of(new Warden()) : Optional.empty();
    Map<String, TaskHandler> byType = new HashMap<>();
    Optional<TaskHandler> exec =
        plan.exec()
            .map(
                command ->
                    new ExecHandler(
                        command,
                        warden.orElseThrow(),
                        plan.grace(),
                        lastGrace(settings.terms().lease()),
                        environment));
    if (!plan.takesAll()) {
      byType.putAll(handlers);
      exec.ifPresent(program -> plan.types().forEach(type -> byType.put(type, program)));
    }
    Reception reception =
        new Reception(
            byType,
            plan.takesAll() ? exec : Optional.empty(),
            new AccessTokens(settings.secrets()),
            meters);
    this.redis = Redis.open(settings.redisUrl());
    redis.onConnect(connected::countDown);
    this.pod = new Pod(redis, name, plan.slots(), capacity, settings.terms(), reception);
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
    warden.ifPresent(Warden::close);
    redis.close();
  }

  private static Duration lastGrace(Duration lease) {
    Duration part = lease.dividedBy(LEASES_PER_LAST_GRACE);
    return part.compareTo(LAST_GRACE_MAX) < 0 ? part : LAST_GRACE_MAX;
  }
}

package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.Traces;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The dispatchers of a process, and the messages that its callers send. */
public final class Dispatchers implements AutoCloseable {
  /** A wait without a wake-up costs no statement, so it may be short enough for a quick stop. */
  private static final Duration POLL = Duration.ofSeconds(1);

  private static final int ATTEMPTS_MAX = 10;

  private final Provider provider;
  private final Warm warm;
  private final Workers workers;
  private final Loop<OrchestrationItem> orchestrating;
  private final List<Loop<WorkItem>> working = new ArrayList<>();

  /**
   * The concurrency of a process.
   *
   * @param orchestrators concurrent turns @param workers concurrent activities of the default pool
   * @param warm parked executions that are kept in memory
   * @param turnLock the lock timeout of a turn @param workLock the lock timeout of an activity
   *     between renewals
   */
  public record Size(
      int orchestrators, int workers, int warm, Duration turnLock, Duration workLock) {
    public static final Size STANDARD =
        new Size(64, 64, 10_000, Duration.ofSeconds(30), Duration.ofSeconds(30));
  }

  /** Starts at once; {@code ended} receives the id of each instance that ends on this node. */
  public Dispatchers(
      Provider provider,
      LongPollConfig config,
      Registry registry,
      Traces traces,
      Size size,
      Consumer<String> ended) {
    this.provider = provider;
    this.warm = new Warm(size.warm());
    this.workers = new Workers(provider, registry, traces, size.workLock());
    Orchestrators orchestrators =
        new Orchestrators(
            provider,
            registry,
            traces,
            warm,
            ATTEMPTS_MAX,
            (instance, end) -> ended.accept(instance));
    Optional<Duration> idle = config.enabled() ? Optional.empty() : Optional.of(config.idleSleep());
    this.orchestrating =
        new Loop<>(
            "durable-orchestrator",
            size.orchestrators(),
            idle,
            () -> provider.fetchOrchestrationItem(size.turnLock(), POLL),
            orchestrators::turn);
    Map<String, Integer> pools = registry.pools(size.workers());
    working.add(work(WorkMessage.ORDINARY, size.workers(), idle, size.workLock()));
    pools.forEach((pool, count) -> working.add(work(pool, count, idle, size.workLock())));
  }

  /**
   * The workers of a pool. Each waits for items of its own, so no pool is in the way of another.
   */
  private Loop<WorkItem> work(String pool, int count, Optional<Duration> idle, Duration lock) {
    return new Loop<>(
        pool.isEmpty() ? "durable-worker" : "durable-worker-" + pool,
        count,
        idle,
        () -> provider.fetchWorkItem(pool, lock, POLL),
        workers::run);
  }

  /**
   * Returns when the start is durable. An instance that is there already is not started again.
   *
   * @param trace where the caller stands in a trace, if it does
   */
  public static void start(
      Provider provider,
      String name,
      String instanceId,
      @Nullable Object input,
      Optional<String> trace) {
    send(provider, instanceId, started(name, input, provider.now(), trace));
  }

  public static void raise(
      Provider provider, String instanceId, String event, @Nullable Object data) {
    JsonNode tree = Registry.tree(data);
    send(provider, instanceId, new Event.EventRaised(event, tree, provider.now()));
  }

  public static void cancel(Provider provider, String instanceId, String reason) {
    Instant now = provider.now();
    send(provider, instanceId, new Event.CancelRequested(reason, now));
  }

  /**
   * Has a failed instance begin again with the input that it had, in an execution of its own; the
   * failed one stays in its history.
   *
   * @return false for an instance that has not failed, or is not there
   */
  public static boolean retry(Provider provider, String instanceId) {
    ProviderAdmin admin = provider.admin();
    return restart(
        admin,
        instanceId,
        failed ->
            admin.history(instanceId, failed.executionId()).stream()
                .findFirst()
                .map(Event::of)
                .filter(Event.Started.class::isInstance)
                .map(Event.Started.class::cast));
  }

  /** Has a failed instance begin again with another input; false if it has not failed. */
  public static boolean restart(
      Provider provider, String name, String instanceId, @Nullable Object input) {
    Event.Started start = started(name, input, Instant.EPOCH, Optional.empty());
    return restart(provider.admin(), instanceId, failed -> Optional.of(start));
  }

  private static boolean restart(
      ProviderAdmin admin,
      String instanceId,
      Function<ProviderAdmin.Instance, Optional<Event.Started>> startOf) {
    Optional<ProviderAdmin.Instance> found =
        admin.instance(instanceId).filter(it -> it.status() == ExecutionStatus.FAILED);
    if (found.isEmpty()) {
      return false;
    }
    long next = found.get().executionId() + 1;
    return startOf
        .apply(found.get())
        .map(start -> Envelope.message(instanceId, next, start).item())
        .filter(message -> admin.restart(instanceId, message))
        .isPresent();
  }

  /**
   * A start as a message of the orchestrators' queue, for writers of rows; {@code data.at} is to be
   * set to the store's time.
   */
  public static String startMessage(String name, @Nullable Object input, Optional<String> trace) {
    return Envelope.message("", Envelope.CURRENT, started(name, input, Instant.EPOCH, trace))
        .item();
  }

  private static Event.Started started(
      String name, @Nullable Object input, Instant at, Optional<String> trace) {
    return new Event.Started(name, "1", Registry.tree(input), null, at, Traceparent.of(trace));
  }

  private static void send(Provider provider, String instanceId, Event.Arrival arrival) {
    provider.enqueueForOrchestrator(Envelope.message(instanceId, Envelope.CURRENT, arrival));
  }

  /** Ends the dispatchers and everything parked; the provider stays open. */
  @Override
  public void close() {
    orchestrating.stop();
    working.forEach(Loop::stop);
    orchestrating.close();
    working.forEach(Loop::close);
    workers.close();
    warm.clear();
  }

  /** The store that this runs over. */
  public Provider provider() {
    return provider;
  }
}

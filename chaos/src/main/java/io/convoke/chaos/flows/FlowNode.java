package io.convoke.chaos.flows;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.JobContext;
import io.convoke.engine.durable.JobOptions;
import io.convoke.engine.durable.NonRetryableException;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.durable.WorkflowFailedException;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;

/**
 * A node that runs flows until it is killed: {@code FlowNode LOG LOCK_MS FALLBACK_MS}, with {@code
 * DATABASE_URL}, {@code LISTEN_URL} and {@code OUTSIDE_URL} in its environment.
 */
public final class FlowNode {
  private static final int ORCHESTRATORS = 16;
  private static final int WORKERS = 32;
  private static final int WARM = 200;
  private static final Duration BEAT = Duration.ofMillis(100);

  /** Longer than a run waits for its flows. */
  private static final Duration HANGS = Duration.ofMinutes(10);

  private static final Duration PAUSE = Duration.ofMillis(100);

  private static final Duration BETWEEN_STEPS = Duration.ofMillis(50);

  private static final JobOptions RETRIED =
      JobOptions.retried(
          new RetryPolicy(20, TestActivity.PAUSE, TestActivity.LONGER, Duration.ofSeconds(1)));

  private final AttemptLog outside;
  private final TransactionalEffects effects;
  private final OutsideCalls outsideCalls;
  private final CompletableFuture<Durable> started = new CompletableFuture<>();

  private FlowNode(AttemptLog outside, TransactionalEffects effects, OutsideCalls outsideCalls) {
    this.outside = outside;
    this.effects = effects;
    this.outsideCalls = outsideCalls;
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    logged(Level.INFO);
    DatabaseUrl url = DatabaseUrl.parse(environment("DATABASE_URL"));
    Duration lock = Duration.ofMillis(Long.parseLong(arguments[1]));
    LongPollConfig config =
        LongPollConfig.defaults()
            .on()
            .withFallback(Duration.ofMillis(Long.parseLong(arguments[2])));
    FlowNode node =
        new FlowNode(
            new AttemptLog(Path.of(arguments[0])),
            new TransactionalEffects(url),
            new OutsideCalls(Optional.ofNullable(System.getenv("OUTSIDE_URL"))));
    PostgresProvider provider = open(url, DatabaseUrl.parse(environment("LISTEN_URL")), config);
    Durable engine =
        ChaosFlows.on(Durable.over(provider, config))
            .workflow(TestFlow.TestFlowKind.STEPPED.workflow(), TestFlow.class, node::stepped)
            .activity(ChaosFlows.ERRAND, TestActivity.class, node::run)
            .job(TestJob.NAME, TestJob.class, RETRIED, node::run)
            .size(new DispatcherPool.DispatcherCounts(ORCHESTRATORS, WORKERS, WARM, lock, lock))
            .start();
    boolean _ = node.started.complete(engine);
    // SIGTERM ends it as its users would: what runs has time to end.
    Runtime.getRuntime().addShutdownHook(new Thread(engine::close));
    ready();
    Thread.currentThread().join();
  }

  /** Prints the line that the parent process waits for. */
  static void ready() throws IOException {
    System.out.write("ready process:flows\n".getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }

  static void logged(Level level) {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(level);
  }

  static String environment(String name) {
    return Optional.ofNullable(System.getenv(name)).orElseThrow();
  }

  /** Retries while Postgres is down at startup. */
  private static PostgresProvider open(
      DatabaseUrl url, DatabaseUrl listenUrl, LongPollConfig config) {
    while (true) {
      try {
        return PostgresProvider.open(url, listenUrl, "durable", config);
      } catch (StoreUnavailable | SqlFailure away) {
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  private ChaosFlows.TestActivityResult run(ActivityContext context, TestActivity activity)
      throws Exception {
    outside.begin(context.key(), context.attempt());
    if (activity.failures() == TestActivity.LEFT_OPEN) {
      throw new IllegalStateException("every attempt fails by plan");
    }
    if (activity.number() == 0 && context.attempt() == 1) {
      Thread _ = Thread.ofVirtual().name("awaits").start(() -> await(activity.flow()));
    }
    effects.book(context, activity);
    outsideCalls.count(context);
    if (activity.failures() == TestActivity.HANGS && context.attempt() == 1) {
      boolean _ = new CountDownLatch(1).await(HANGS.toSeconds(), TimeUnit.SECONDS);
    }
    long end = System.nanoTime() + Duration.ofMillis(activity.millis()).toNanos();
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, BEAT.toNanos()));
      if (Thread.interrupted()) {
        throw new InterruptedException("told to end");
      }
      context.heartbeat();
    }
    if (context.attempt() <= activity.failures()) {
      throw new IllegalStateException("attempt " + context.attempt() + " fails by plan");
    }
    outside.end(context.key(), context.attempt());
    if (activity.failures() == TestActivity.REFUSED) {
      throw new NonRetryableException("by plan", new IllegalArgumentException("by plan"));
    }
    return new ChaosFlows.TestActivityResult(activity.amount(), context.attempt());
  }

  /** Awaits a flow until this node ends, and logs what it is told. */
  private void await(String flow) {
    try {
      Durable engine = started.join();
      outside.awaits(flow);
      outside.told(flow, result(engine, flow));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException closed) {
      // SIGTERM has closed the engine, and this node ends.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long result(Durable engine, String flow) throws InterruptedException {
    while (true) {
      try {
        return engine.await(flow, Long.class, HANGS);
      } catch (WorkflowFailedException failed) {
        return AttemptLog.FAILED;
      } catch (ProviderFailure | TimeoutException away) {
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /** Returns the sum of the amounts of its steps. */
  private long stepped(WorkflowContext context, TestFlow flow) {
    long sum = 0;
    for (TestActivity step : flow.steps()) {
      sum += context.step("book", Long.class, () -> step(step));
      if (flow.pauses()) {
        context.sleep(BETWEEN_STEPS);
      }
    }
    return sum;
  }

  private long step(TestActivity step) throws IOException {
    outside.begin(step.stepKey(), 1);
    long end = System.nanoTime() + Duration.ofMillis(step.millis()).toNanos();
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    outside.end(step.stepKey(), 1);
    return step.amount();
  }

  private void run(JobContext context, TestJob job) throws Exception {
    String key = job.key(context.id());
    outside.begin(key, context.attempt());
    long end = System.nanoTime() + TestJob.LASTS.toNanos();
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      context.heartbeat();
    }
    if (context.attempt() <= job.failures()) {
      throw new IllegalStateException("attempt " + context.attempt() + " fails by plan");
    }
    outside.end(key, context.attempt());
  }
}

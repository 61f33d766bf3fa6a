package io.convoke.chaos.flows;

import ch.qos.logback.classic.Level;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.EnqueueOptions;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.ProviderAdmin.InstanceInfo;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.sql.DatabaseUrl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts flows and raises their events: {@code FlowClient ORDERS REPORT}, with {@code DATABASE_URL}
 * in its environment. Retries until acknowledged, and writes acknowledgements to the report.
 */
public final class FlowClient {
  private static final Duration PAUSE = Duration.ofMillis(70);

  /** Pause between repeated starts of a flow, in which the first may have progressed. */
  private static final Duration AGAIN = Duration.ofMillis(120);

  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Each job is enqueued so often, of which all but the first are refused while it is there. */
  private static final int ENQUEUED = 3;

  private static final int CANCELLED = 3;

  private final Durable engine;
  private final Writer report;
  private final long begun = System.nanoTime();
  private final Map<String, CompletableFuture<Boolean>> started = new ConcurrentHashMap<>();

  private FlowClient(Durable engine, Writer report) {
    this.engine = engine;
    this.report = report;
  }

  public static void main(String[] arguments) throws IOException {
    FlowNode.logged(Level.WARN);
    LongPollConfig config = LongPollConfig.defaults();
    DatabaseUrl url = DatabaseUrl.parse(FlowNode.environment("DATABASE_URL"));
    List<String> orders = Files.readAllLines(Path.of(arguments[0]));
    try (Writer report = Files.newBufferedWriter(Path.of(arguments[1]));
        Durable engine =
            Durable.over(PostgresProvider.open(url, "durable", config), config).connect()) {
      FlowNode.ready();
      FlowClient client = new FlowClient(engine, report);
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        orders.forEach(order -> threads.execute(() -> client.carryOut(order.split(" ", -1))));
      }
      client.acknowledged("done");
    }
  }

  /**
   * {@code MILLIS start FLOW TIMES}, {@code MILLIS tell ID NUMBER}, {@code MILLIS tellall ID
   * NUMBER}: so many events one after the other, {@code MILLIS cancel ID 0}: more than once, as
   * after a lost answer, while the flow cleans up, or {@code MILLIS schedule ID SECONDS}: a run
   * every second for so long, {@code MILLIS enqueue ID FAILURES}: a job, {@code MILLIS retry ID 0}:
   * begins a failed flow again.
   */
  private void carryOut(String[] order) {
    awaitTime(Duration.ofMillis(Long.parseLong(order[0])));
    int number = Integer.parseInt(order[3]);
    if (order[1].equals("schedule")) {
      retryUntilAcked(
          () -> engine.schedule(order[2], "* * * * * *", ZoneOffset.UTC, ChaosFlows.PULSE, "beat"));
      for (int i = 0; i < number; i++) {
        LockSupport.parkNanos(SECOND.toNanos());
        retryUntilAcked(() -> show(order[2]));
      }
      retryUntilAcked(() -> engine.unschedule(order[2]));
      acknowledged("schedule " + order[2]);
    } else if (order[1].equals("cancel")) {
      boolean _ = acked(order[2]).join();
      for (int i = 0; i < CANCELLED; i++) {
        retryUntilAcked(() -> engine.cancel(order[2], "not wanted any more"));
        LockSupport.parkNanos(AGAIN.toNanos());
      }
      acknowledged("cancel " + order[2]);
    } else if (order[1].equals("start")) {
      TestFlow testFlow = TestFlow.parse(order[2]);
      for (int i = 0; i < number; i++) {
        LockSupport.parkNanos(AGAIN.multipliedBy(i).toNanos());
        retryUntilAcked(
            () ->
                engine.start(
                    testFlow.kind().workflow(), testFlow.id(), ChaosFlows.input(testFlow)));
      }
      acknowledged("start " + testFlow.id());
      boolean _ = acked(testFlow.id()).complete(true);
    } else if (order[1].equals("enqueue")) {
      for (int i = 0; i < ENQUEUED; i++) {
        retryUntilAcked(() -> enqueue(new TestJob(order[2], number)));
      }
      acknowledged("enqueue " + order[2]);
    } else if (order[1].equals("retry")) {
      boolean _ = acked(order[2]).join();
      retryUntilAcked(() -> retry(order[2]));
      acknowledged("retry " + order[2]);
    } else if (order[1].equals("tellall")) {
      for (int i = 0; i < number; i++) {
        tell(order[2], i);
      }
    } else {
      tell(order[2], number);
    }
  }

  /** Reports what the list of schedules tells of the last run of one. */
  private void show(String id) {
    engine.schedules().stream()
        .filter(schedule -> schedule.id().equals(id))
        .flatMap(schedule -> schedule.last().stream())
        .map(last -> last.instanceId() + (last.error().isPresent() ? " failed" : " completed"))
        .forEach(last -> acknowledged("last " + id + " " + last));
  }

  private void enqueue(TestJob job) {
    Optional<String> _ = engine.enqueue(TestJob.NAME, job, EnqueueOptions.NONE.unique(job.id()));
  }

  /** Waits until the flow has failed, and begins it again. */
  private void retry(String flow) {
    while (engine.instance(flow).map(InstanceInfo::executionId).orElse(1L) == 1) {
      boolean _ = engine.retry(flow);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void tell(String flow, int event) {
    boolean _ = acked(flow).join();
    retryUntilAcked(() -> engine.raise(flow, ChaosFlows.TICK, event));
    acknowledged("tell " + flow + " " + event);
  }

  private CompletableFuture<Boolean> acked(String flow) {
    return started.computeIfAbsent(flow, id -> new CompletableFuture<>());
  }

  private static void retryUntilAcked(Runnable call) {
    while (true) {
      try {
        call.run();
        return;
      } catch (ProviderFailure notAcked) {
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  private void awaitTime(Duration at) {
    long left = at.toNanos() - (System.nanoTime() - begun);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - begun);
    }
  }

  private void acknowledged(String what) {
    try {
      synchronized (report) {
        report.write(what + "\n");
        report.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

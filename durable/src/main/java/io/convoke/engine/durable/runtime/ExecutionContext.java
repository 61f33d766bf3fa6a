package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Promise;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowCancelledException;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.durable.runtime.HistoryEntry.ActivityScheduled;
import io.convoke.engine.durable.runtime.HistoryEntry.ChildScheduled;
import io.convoke.engine.durable.runtime.HistoryEntry.ParentRef;
import io.convoke.engine.durable.runtime.HistoryEntry.Started;
import io.convoke.engine.durable.runtime.HistoryEntry.StepEnded;
import io.convoke.engine.durable.runtime.HistoryEntry.TimerCreated;
import io.convoke.engine.durable.runtime.HistoryEntry.TimerFired;
import io.convoke.engine.durable.runtime.HistoryEntry.VersionChosen;
import io.convoke.engine.wake.CappedTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The context of an execution, called by the code in its coroutine. */
final class ExecutionContext implements WorkflowContext {
  private final WorkflowExecution workflowExecution;
  private final Started started;
  private final Random random;
  private final String traceparent;
  private final Map<String, Integer> versions = new HashMap<>();

  /** How many ids the code has made. */
  private int ids;

  /** Ends the execution so that the next one begins. */
  static final class ContinueAsNewSignal extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient JsonNode input;

    ContinueAsNewSignal(JsonNode input) {
      super("continued as new", null, false, false);
      this.input = input;
    }

    JsonNode input() {
      return input;
    }
  }

  ExecutionContext(WorkflowExecution workflowExecution, Started started) {
    this.workflowExecution = workflowExecution;
    this.started = started;
    long seed = 31L * workflowExecution.instanceId().hashCode() + workflowExecution.executionId();
    this.random = new Random(seed ^ started.at().toEpochMilli());
    this.traceparent = started.traceparent();
  }

  @Override
  public String instanceId() {
    return workflowExecution.instanceId();
  }

  @Override
  public long executionId() {
    return workflowExecution.executionId();
  }

  @Override
  public String traceparent() {
    return traceparent;
  }

  @Override
  public Instant now() {
    return workflowExecution.now();
  }

  @Override
  public RandomGenerator random() {
    workflowExecution.requireCode();
    return random;
  }

  /** Of the execution's name, which no other execution has. */
  @Override
  public UUID newId() {
    workflowExecution.requireCode();
    if (!started.namedIds()) {
      return drawnId();
    }
    ids++;
    long begun = started.at().toEpochMilli();
    String name = instanceId() + "/" + executionId() + "/" + begun + "/" + ids;
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
  }

  /** As earlier releases made ids: of random numbers that other workflows may draw too. */
  private UUID drawnId() {
    return new UUID(
        (random.nextLong() & ~0xf000L) | 0x4000L,
        (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L);
  }

  @Override
  public <T> Promise<T> order(
      String name, @Nullable Object input, Class<T> type, ActivityOptions options) {
    JsonNode json = WorkflowRegistry.stored(input);
    boolean live = workflowExecution.isRunning();
    long id = workflowExecution.order(new ActivityScheduled(name, json));
    if (live) {
      workflowExecution.queue(
          new WorkMessage(
              instanceId(),
              executionId(),
              id,
              ActivityTask.write(name, json, options, traceparent),
              Optional.empty(),
              options.limit(),
              workflowExecution.poolOf(name)));
    }
    return expect(id, type);
  }

  @Override
  public <T> T step(String name, Class<T> type, RetryPolicy retry, Callable<? extends T> body) {
    for (int attempt = 1; ; attempt++) {
      int current = attempt;
      StepEnded ended =
          workflowExecution.step(
              StepEnded.named(name), named -> attempt(named, current, retry, body));
      Long pauseMs = ended.pauseMs();
      if (pauseMs != null) {
        sleep(Duration.ofMillis(pauseMs));
      }
      String error = ended.error();
      if (error == null) {
        return WorkflowRegistry.read(ended.result(), type);
      }
      if (pauseMs == null) {
        throw new ActivityFailedException(error, Optional.ofNullable(ended.errorType()));
      }
    }
  }

  /**
   * Runs an attempt of a step. After a long turn its result is committed before the code goes on.
   */
  private StepEnded attempt(StepEnded named, int attempt, RetryPolicy retry, Callable<?> body) {
    try {
      JsonNode result = WorkflowRegistry.stored(body.call());
      Long pause = workflowExecution.isLongTurn() ? 0L : null;
      return new StepEnded(named.name(), result, null, null, pause, workflowExecution.storeTime());
    } catch (Throwable e) {
      boolean again = attempt < retry.attemptsMax() && !ErrorText.isFinal(e);
      return new StepEnded(
          named.name(),
          named.result(),
          ErrorText.of(e),
          ErrorText.type(e),
          again ? Long.valueOf(retry.after(attempt).toMillis()) : null,
          workflowExecution.storeTime());
    }
  }

  @Override
  public Promise<Instant> timer(Duration delay) {
    boolean live = workflowExecution.isRunning();
    Duration duration = CappedTime.stored(delay);
    Instant fireAt = now().plus(duration);
    long id = workflowExecution.order(new TimerCreated(fireAt));
    if (live) {
      workflowExecution.send(
          MessageEnvelope.message(
              instanceId(), executionId(), new TimerFired(id, fireAt), Optional.of(fireAt)));
    }
    return expect(id, Instant.class);
  }

  @Override
  public <T> Promise<T> event(String name, Class<T> type) {
    PendingPromise<T> pendingPromise = promise(type);
    workflowExecution.expect(name, pendingPromise);
    return pendingPromise;
  }

  @Override
  public <T> Promise<T> child(
      String name, String instanceId, @Nullable Object input, Class<T> type) {
    if (instanceId.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("an instance id cannot contain U+0000");
    }
    String child = WorkflowRegistry.stored(instanceId).asString();
    boolean live = workflowExecution.isRunning();
    long id = workflowExecution.order(new ChildScheduled(name, child));
    if (live) {
      ParentRef parentRef = new ParentRef(instanceId(), executionId(), id);
      workflowExecution.send(
          MessageEnvelope.message(
              child,
              MessageEnvelope.CURRENT,
              new Started(
                  name, "1", WorkflowRegistry.tree(input), parentRef, now(), traceparent, true)));
    }
    return expect(id, type);
  }

  @Override
  public int select(List<? extends Promise<?>> promises) {
    if (promises.isEmpty()) {
      throw new IllegalArgumentException("select needs at least one promise");
    }
    await(
        promises.stream()
            .map(promise -> (PendingPromise<?>) promise)
            .toArray(PendingPromise<?>[]::new));
    return IntStream.range(0, promises.size())
        .filter(i -> promises.get(i).done())
        .findFirst()
        .orElseThrow();
  }

  @Override
  public int version(String change, int newest) {
    return versions.computeIfAbsent(
        change,
        key -> {
          Optional<HistoryEntry> past = workflowExecution.past();
          if (past.isEmpty()) {
            long _ = workflowExecution.order(new VersionChosen(key, newest));
            return newest;
          }
          if (past.get() instanceof VersionChosen chosen && chosen.change().equals(key)) {
            long _ = workflowExecution.order(chosen);
            return chosen.version();
          }
          return 0;
        });
  }

  @Override
  public void status(String custom) {
    if (workflowExecution.isRunning()) {
      workflowExecution.show(custom);
    }
  }

  @Override
  public RuntimeException continueAsNew(@Nullable Object input) {
    return new ContinueAsNewSignal(WorkflowRegistry.tree(input));
  }

  private <T> PendingPromise<T> expect(long order, Class<T> type) {
    PendingPromise<T> pendingPromise = promise(type);
    workflowExecution.expect(order, pendingPromise);
    return pendingPromise;
  }

  private <T> PendingPromise<T> promise(Class<T> type) {
    return new PendingPromise<>(this::await, json -> WorkflowRegistry.read(json, type));
  }

  private void await(PendingPromise<?>... pledges) {
    while (Arrays.stream(pledges).noneMatch(PendingPromise::done)) {
      Optional<String> cancelled = workflowExecution.takeCancellation();
      if (cancelled.isPresent()) {
        throw new WorkflowCancelledException(cancelled.get());
      }
      workflowExecution.park();
    }
  }
}

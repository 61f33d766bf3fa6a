package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Promise;
import io.convoke.engine.durable.WorkflowCancelled;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.durable.runtime.Event.ActivityScheduled;
import io.convoke.engine.durable.runtime.Event.ChildScheduled;
import io.convoke.engine.durable.runtime.Event.Parent;
import io.convoke.engine.durable.runtime.Event.Started;
import io.convoke.engine.durable.runtime.Event.TimerCreated;
import io.convoke.engine.durable.runtime.Event.TimerFired;
import io.convoke.engine.durable.runtime.Event.VersionChosen;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The code's side of an execution: every call comes from the coroutine. */
final class Context implements WorkflowContext {
  private final Execution execution;
  private final Random random;
  private final String traceparent;
  private final Map<String, Integer> versions = new HashMap<>();

  /** The execution ends and another begins. */
  static final class Again extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient JsonNode input;

    Again(JsonNode input) {
      super("continued as new", null, false, false);
      this.input = input;
    }

    JsonNode input() {
      return input;
    }
  }

  Context(Execution execution, Started started) {
    this.execution = execution;
    long seed = 31L * execution.instanceId().hashCode() + execution.executionId();
    this.random = new Random(seed ^ started.at().toEpochMilli());
    this.traceparent = started.traceparent();
  }

  @Override
  public String instanceId() {
    return execution.instanceId();
  }

  @Override
  public long executionId() {
    return execution.executionId();
  }

  @Override
  public String traceparent() {
    return traceparent;
  }

  @Override
  public Instant now() {
    return execution.now();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public UUID newId() {
    return new UUID(
        (random.nextLong() & ~0xf000L) | 0x4000L,
        (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L);
  }

  @Override
  public <T> Promise<T> order(
      String name, @Nullable Object input, Class<T> type, ActivityOptions options) {
    JsonNode json = Registry.tree(input);
    boolean live = execution.live();
    long id = execution.order(new ActivityScheduled(name, json));
    if (live) {
      execution.queue(
          new WorkMessage(
              instanceId(),
              executionId(),
              id,
              Task.write(name, json, options, traceparent),
              Optional.empty(),
              options.limit(),
              execution.poolOf(name)));
    }
    return expect(id, type);
  }

  @Override
  public Promise<Instant> timer(Duration duration) {
    boolean live = execution.live();
    Instant fireAt = now().plus(duration);
    long id = execution.order(new TimerCreated(fireAt));
    if (live) {
      execution.send(
          Envelope.message(
              instanceId(), executionId(), new TimerFired(id, fireAt), Optional.of(fireAt)));
    }
    return expect(id, Instant.class);
  }

  @Override
  public <T> Promise<T> event(String name, Class<T> type) {
    Pledge<T> pledge = new Pledge<>(this::await, json -> Json.read(json, type));
    execution.expect(name, pledge);
    return pledge;
  }

  @Override
  public <T> Promise<T> child(
      String name, String instanceId, @Nullable Object input, Class<T> type) {
    boolean live = execution.live();
    long id = execution.order(new ChildScheduled(name, instanceId));
    if (live) {
      Parent parent = new Parent(instanceId(), executionId(), id);
      execution.send(
          Envelope.message(
              instanceId,
              Envelope.CURRENT,
              new Started(name, "1", Registry.tree(input), parent, now(), traceparent)));
    }
    return expect(id, type);
  }

  @Override
  public int select(List<? extends Promise<?>> promises) {
    await(promises.stream().map(promise -> (Pledge<?>) promise).toArray(Pledge<?>[]::new));
    for (int i = 0; i < promises.size(); i++) {
      if (promises.get(i).done()) {
        return i;
      }
    }
    throw new IllegalStateException("nothing to select from");
  }

  @Override
  public int version(String change, int newest) {
    return versions.computeIfAbsent(
        change,
        key -> {
          Optional<Event> past = execution.past();
          if (past.isEmpty()) {
            long _ = execution.order(new VersionChosen(key, newest));
            return newest;
          }
          if (past.get() instanceof VersionChosen chosen && chosen.change().equals(key)) {
            long _ = execution.order(chosen);
            return chosen.version();
          }
          return 0;
        });
  }

  @Override
  public void status(String custom) {
    if (execution.live()) {
      execution.show(custom);
    }
  }

  @Override
  public RuntimeException continueAsNew(@Nullable Object input) {
    return new Again(Registry.tree(input));
  }

  private <T> Pledge<T> expect(long order, Class<T> type) {
    Pledge<T> pledge = new Pledge<>(this::await, json -> Json.read(json, type));
    execution.expect(order, pledge);
    return pledge;
  }

  private void await(Pledge<?>... pledges) {
    while (Arrays.stream(pledges).noneMatch(Pledge::done)) {
      Optional<String> cancelled = execution.takeCancellation();
      if (cancelled.isPresent()) {
        throw new WorkflowCancelled(cancelled.get());
      }
      execution.park();
    }
  }
}

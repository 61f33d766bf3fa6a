package io.convoke.agent.pod;

import io.convoke.engine.dispatch.TaskAttempt;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One attempt of a task in a slot of a pod, as its handler sees it: with its tokens in clear. */
public final class TaskContext {
  private final ObjectNode json;
  private final BooleanSupplier stopping;
  private final Consumer<Runnable> onStop;
  private final Supplier<Duration> beginWithin;
  private final CountDownLatch stopped = new CountDownLatch(1);

  TaskContext(
      ObjectNode json,
      BooleanSupplier stopping,
      Consumer<Runnable> onStop,
      Supplier<Duration> beginWithin) {
    this.json = json;
    this.stopping = stopping;
    this.onStop = onStop;
    this.beginWithin = beginWithin;
    onStop.accept(stopped::countDown);
  }

  static TaskContext of(TaskAttempt run, ObjectNode opened) {
    return new TaskContext(opened, run::stopping, run::onStop, run::beginWithin);
  }

  public String id() {
    return text("id");
  }

  public String type() {
    return text("type");
  }

  /** The meeting or whatever else it is about; 1 to 64 of {@code [A-Za-z0-9_.:-]}. */
  public String channel() {
    return text("channel");
  }

  /** Where it was asked to run, which need not be where it does. */
  public Optional<String> region() {
    return Optional.of(text("region")).filter(name -> !name.isEmpty());
  }

  /** Counts from 1 and only grows: what is written outside carries it. */
  public int attempt() {
    return json.path("attempt").asInt();
  }

  /** The slot of the pod, from 0: seed 004's worker id. */
  public int workerId() {
    return json.path("worker_id").asInt();
  }

  /** What was asked for, with tokens in clear; of whatever form the caller gave it. */
  public JsonNode payload() {
    return json.path("payload");
  }

  /** The whole task of seed 004, "Task Object", with tokens in clear: not for a log. */
  public ObjectNode json() {
    return json.deepCopy();
  }

  /** Whether it is to come to an end: somebody wants that, or the lease is lost. */
  public boolean stopping() {
    return stopping.getAsBoolean();
  }

  /**
   * Within which its effects are to begin, negative if no more: a pod that hangs after its claim is
   * taken for dead, and another one has the task. Nothing is begun late by the pod itself; this is
   * for handlers that need a while before their first effect.
   */
  public Duration beginWithin() {
    return beginWithin.get();
  }

  /** Waits until it is to come to an end, at most this long; true if it is. */
  public boolean awaitStop(Duration atMost) throws InterruptedException {
    return stopped.await(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS) || stopping();
  }

  /** Runs when it is to come to an end, at once if it is already. It must not block. */
  public void onStop(Runnable action) {
    onStop.accept(action);
  }

  @Override
  public String toString() {
    return "task " + id() + ", attempt " + attempt();
  }

  private String text(String field) {
    return json.path(field).asString("");
  }
}

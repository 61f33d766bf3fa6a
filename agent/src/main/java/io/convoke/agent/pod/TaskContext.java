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

/**
 * One attempt of a task in a slot of a pod, as its handler sees it: with its tokens in plain text.
 */
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

  /** What is to be done: {@code start} in tasks of users. */
  public String action() {
    return text("action");
  }

  /** The subject of the task, such as a meeting; 1 to 64 of {@code [A-Za-z0-9_.:-]}. */
  public String channel() {
    return text("channel");
  }

  /** The requested region; the pod may be in another one. */
  public Optional<String> region() {
    return Optional.of(text("region")).filter(name -> !name.isEmpty());
  }

  /** The attempt number, from 1 and increasing; external effects carry it. */
  public int attempt() {
    return json.path("attempt").asInt();
  }

  /** The slot of the pod, from 0. */
  public int workerId() {
    return json.path("worker_id").asInt();
  }

  /** The payload as submitted, with tokens in plain text. */
  public JsonNode payload() {
    return json.path("payload");
  }

  /** The whole task (dispatch-1), with tokens in plain text: never log it. */
  public ObjectNode json() {
    return json.deepCopy();
  }

  /** Whether the work should end: a stop was requested or the lease is lost. */
  public boolean stopping() {
    return stopping.getAsBoolean();
  }

  /**
   * Time left to start external effects; negative if it is over. A pod that hangs after its claim
   * may count as dead, and another pod may run the task. The pod itself starts no handler late;
   * this is for handlers that need time before their first effect.
   */
  public Duration beginWithin() {
    return beginWithin.get();
  }

  /** Waits for a stop, at most this long; true if the work should end. */
  public boolean awaitStop(Duration atMost) throws InterruptedException {
    return stopped.await(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS) || stopping();
  }

  /**
   * Registers an action that runs when the work should end, at once if that is already so. It must
   * not block.
   */
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

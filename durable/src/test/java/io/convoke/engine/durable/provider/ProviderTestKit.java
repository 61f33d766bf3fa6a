package io.convoke.engine.durable.provider;

import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.durable.provider.TurnCommit.InstanceIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A provider, and short ways to say what happens to it. */
abstract class ProviderTestKit {
  static final Duration LOCK = Duration.ofSeconds(30);
  static final Duration SHORT_LOCK = Duration.ofMillis(300);
  static final Duration LONG = Duration.ofSeconds(20);
  static final Optional<Duration> NO_DELAY = Optional.empty();

  Provider provider;

  /** A provider on an empty schema. */
  protected abstract Provider open();

  @BeforeEach
  void openProvider() {
    provider = open();
  }

  @AfterEach
  void closeProvider() {
    provider.close();
  }

  WorkItem nextWork() throws InterruptedException {
    return nextWork(LOCK);
  }

  WorkItem nextWork(Duration lock) throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (System.nanoTime() < end) {
      Optional<WorkItem> item = provider.fetchWorkItem(lock, LONG);
      if (item.isPresent()) {
        return item.get();
      }
    }
    throw new AssertionError("no work item within " + LONG);
  }

  OrchestrationItem nextInstance() throws InterruptedException {
    return nextInstance(LOCK);
  }

  OrchestrationItem nextInstance(Duration lock) throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (System.nanoTime() < end) {
      Optional<OrchestrationItem> item = provider.fetchOrchestrationItem(lock, LONG);
      if (item.isPresent()) {
        return item.get();
      }
    }
    throw new AssertionError("no instance within " + LONG);
  }

  /** Sends an instance a message and commits the turn that it leads to. */
  LockStatus turn(String instance, TurnCommit turnCommit) throws InterruptedException {
    provider.enqueueForOrchestrator(new InstanceMessage(instance, "go on"));
    return provider.ackOrchestrationItem(nextInstance().lockToken(), turnCommit);
  }

  static WorkMessage work(String instance, long activity, String item) {
    return new WorkMessage(instance, 1, activity, item, Optional.empty());
  }

  static TurnCommit firstTurn() {
    return new TurnCommit(
        1,
        Optional.of(new InstanceIdentity("greet", "1", Optional.empty())),
        List.of(new HistoryEvent(1, "Started", "{}"), new HistoryEvent(2, "Ordered", "{}")),
        List.of(work("i", 2, "greet")),
        List.of(new InstanceMessage("i", "timer")),
        List.of(),
        Optional.empty(),
        Optional.of("greeting"));
  }

  /** The first turn of an instance that orders nothing; it may be its last one, too. */
  static TurnCommit begun(
      String name, Optional<String> parent, Optional<ExecutionOutcome> outcome) {
    return new TurnCommit(
        1,
        Optional.of(new InstanceIdentity(name, "1", parent)),
        List.of(new HistoryEvent(1, "Started", "{}")),
        List.of(),
        List.of(),
        List.of(),
        outcome,
        Optional.empty());
  }

  /** A turn of an execution that writes some events, and may end it. */
  static TurnCommit wrote(long execution, Optional<ExecutionOutcome> outcome, long... events) {
    return new TurnCommit(
        execution,
        Optional.empty(),
        java.util.Arrays.stream(events).mapToObj(id -> new HistoryEvent(id, "E", "{}")).toList(),
        List.of(),
        List.of(),
        List.of(),
        outcome,
        Optional.empty());
  }
}

package io.convoke.engine.durable.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.Turn.Identity;
import io.convoke.engine.durable.provider.Turn.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every provider does, however it waits. */
public abstract class ProviderConformance {
  private static final Duration LOCK = Duration.ofSeconds(30);
  private static final Duration SHORT_LOCK = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Optional<Duration> NO_DELAY = Optional.empty();

  private Provider provider;

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

  @Test
  void anEmptyStoreHasNothingToFetch() throws Exception {
    assertThat(provider.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
    assertThat(provider.fetchOrchestrationItem(LOCK, Duration.ZERO)).isEmpty();
  }

  @Test
  void aWorkItemIsHandedOutOnceAndGoneAfterItsAck() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem item = nextWork();
    assertThat(item.item()).isEqualTo("do it");
    assertThat(item.attempt()).isOne();
    assertThat(provider.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.empty())).isEqualTo(Held.HELD);
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.empty())).isEqualTo(Held.LOST);
    assertThat(provider.admin().metrics().workItems()).isZero();
  }

  @Test
  void anAckSendsTheCompletionInTheSameStep() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem item = nextWork();
    InstanceMessage done = new InstanceMessage("i", "done");
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.of(done))).isEqualTo(Held.HELD);
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.of(done))).isEqualTo(Held.LOST);
    assertThat(nextInstance().messages()).containsExactly("done");
  }

  @Test
  void aLockThatEndedIsLostAndTheItemComesAgain() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem first = provider.fetchWorkItem(SHORT_LOCK, LONG).orElseThrow();
    WorkItem second = nextWork();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.lockToken()).isNotEqualTo(first.lockToken());
    assertThat(provider.ackWorkItem(first.lockToken(), Optional.empty())).isEqualTo(Held.LOST);
    assertThat(provider.renewWorkItemLock(first.lockToken(), LOCK)).isEqualTo(Held.LOST);
    assertThat(provider.ackWorkItem(second.lockToken(), Optional.empty())).isEqualTo(Held.HELD);
  }

  @Test
  void aRenewedLockIsKept() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem item = provider.fetchWorkItem(Duration.ofSeconds(2), LONG).orElseThrow();
    assertThat(provider.renewWorkItemLock(item.lockToken(), LOCK)).isEqualTo(Held.HELD);
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.empty())).isEqualTo(Held.HELD);
  }

  @Test
  void whatIsGivenBackComesAgainAndAttemptsCountUnlessIgnored() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem first = nextWork();
    assertThat(provider.abandonWorkItem(first.lockToken(), NO_DELAY, true)).isEqualTo(Held.HELD);
    WorkItem second = nextWork();
    assertThat(second.attempt()).isOne();
    Instant hidden = provider.now().plusMillis(300);
    assertThat(
            provider.abandonWorkItem(
                second.lockToken(), Optional.of(Duration.ofMillis(300)), false))
        .isEqualTo(Held.HELD);
    WorkItem third = nextWork();
    assertThat(third.attempt()).isEqualTo(2);
    assertThat(provider.now()).isAfterOrEqualTo(hidden.minusMillis(5));
    assertThat(provider.abandonWorkItem("unknown", NO_DELAY, false)).isEqualTo(Held.LOST);
  }

  @Test
  void whatIsNotVisibleYetWaitsForItsTime() throws Exception {
    Instant due = provider.now().plusMillis(300);
    provider.enqueueForWorker(new WorkMessage("i", 1, 1, "later", Optional.of(due)));
    assertThat(provider.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
    assertThat(nextWork().item()).isEqualTo("later");
    assertThat(provider.now()).isBetween(due.minusMillis(5), due.plusSeconds(5));
  }

  @Test
  void allMessagesOfAnInstanceComeTogetherAndToOneHolder() throws Exception {
    provider.enqueueForOrchestrator(new InstanceMessage("i", "one"));
    provider.enqueueForOrchestrator(new InstanceMessage("i", "two"));
    OrchestrationItem item = nextInstance();
    assertThat(item.messages()).containsExactly("one", "two");
    provider.enqueueForOrchestrator(new InstanceMessage("i", "three"));
    provider.enqueueForOrchestrator(new InstanceMessage("other", "four"));
    assertThat(nextInstance().instanceId()).isEqualTo("other");
    assertThat(provider.fetchOrchestrationItem(LOCK, Duration.ZERO)).isEmpty();
    assertThat(provider.ackOrchestrationItem(item.lockToken(), Turn.nothing(1)))
        .isEqualTo(Held.HELD);
    OrchestrationItem next = nextInstance();
    assertThat(next.messages()).containsExactly("three");
    assertThat(next.turn()).isEqualTo(item.turn() + 1);
  }

  @Test
  void aTurnCommitsEverythingAtOnce() throws Exception {
    provider.enqueueForOrchestrator(new InstanceMessage("i", "start"));
    OrchestrationItem item = nextInstance();
    assertThat(provider.ackOrchestrationItem(item.lockToken(), firstTurn())).isEqualTo(Held.HELD);
    assertThat(provider.read("i")).hasSize(2);
    WorkItem work = nextWork();
    assertThat(work.activityId()).isEqualTo(2);
    assertThat(nextInstance().messages()).containsExactly("timer");
    var instance = provider.admin().instance("i").orElseThrow();
    assertThat(instance.name()).isEqualTo("greet");
    assertThat(instance.customStatus()).contains("greeting");
    assertThat(instance.status()).isEqualTo(ExecutionStatus.RUNNING);
    assertThat(provider.ackOrchestrationItem(item.lockToken(), firstTurn())).isEqualTo(Held.LOST);
    assertThat(provider.read("i")).hasSize(2);
  }

  @Test
  void aCancelledActivityIsTakenFromUnderItsWorker() throws Exception {
    provider.enqueueForOrchestrator(new InstanceMessage("i", "start"));
    Held _ = provider.ackOrchestrationItem(nextInstance().lockToken(), firstTurn());
    WorkItem work = nextWork();
    OrchestrationItem item = nextInstance();
    Turn cancel =
        new Turn(
            1,
            Optional.empty(),
            List.of(),
            List.of(work("i", 3, "never")),
            List.of(),
            List.of(2L, 3L),
            Optional.empty(),
            Optional.empty());
    assertThat(provider.ackOrchestrationItem(item.lockToken(), cancel)).isEqualTo(Held.HELD);
    assertThat(provider.renewWorkItemLock(work.lockToken(), LOCK)).isEqualTo(Held.LOST);
    assertThat(provider.ackWorkItem(work.lockToken(), Optional.empty())).isEqualTo(Held.LOST);
    assertThat(provider.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
  }

  @Test
  void anInstanceThatIsGivenBackComesAgain() throws Exception {
    provider.enqueueForOrchestrator(new InstanceMessage("i", "start"));
    OrchestrationItem first = provider.fetchOrchestrationItem(SHORT_LOCK, LONG).get();
    OrchestrationItem second = nextInstance();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(provider.ackOrchestrationItem(first.lockToken(), Turn.nothing(1)))
        .isEqualTo(Held.LOST);
    assertThat(provider.renewOrchestrationItemLock(second.lockToken(), LOCK)).isEqualTo(Held.HELD);
    assertThat(provider.abandonOrchestrationItem(second.lockToken(), NO_DELAY, true))
        .isEqualTo(Held.HELD);
    assertThat(nextInstance().attempt()).isEqualTo(2);
    assertThat(provider.abandonOrchestrationItem("unknown", NO_DELAY, false)).isEqualTo(Held.LOST);
  }

  @Test
  void instancesAreListedDeletedAndPruned() throws Exception {
    for (String id : List.of("a", "b", "c")) {
      provider.enqueueForOrchestrator(new InstanceMessage(id, "start"));
      OrchestrationItem item = nextInstance();
      Turn turn = firstTurn();
      boolean ends = !id.equals("c");
      Turn ended =
          new Turn(
              1,
              turn.identity(),
              turn.history(),
              List.of(),
              List.of(),
              List.of(),
              ends ? Optional.of(new Outcome(ExecutionStatus.COMPLETED, "well")) : Optional.empty(),
              Optional.empty());
      assertThat(provider.ackOrchestrationItem(item.lockToken(), ended)).isEqualTo(Held.HELD);
    }
    ProviderAdmin admin = provider.admin();
    var all = admin.instances(Optional.empty(), Optional.of("greet"), Optional.empty(), 2);
    assertThat(all).extracting(ProviderAdmin.Instance::instanceId).containsExactly("c", "b");
    var rest = admin.instances(Optional.empty(), Optional.empty(), Optional.of("b"), 10);
    assertThat(rest).extracting(ProviderAdmin.Instance::instanceId).containsExactly("a");
    assertThat(
            admin.instances(
                Optional.of(ExecutionStatus.RUNNING), Optional.empty(), Optional.empty(), 10))
        .hasSize(1);
    assertThat(admin.executions("a").getFirst().output()).contains("well");
    assertThat(admin.delete("c", false)).isFalse();
    assertThat(admin.delete("c", true)).isTrue();
    assertThat(admin.delete("c", true)).isFalse();
    assertThat(admin.pruneInstances(Duration.ofHours(1), 10)).isZero();
    assertThat(admin.pruneInstances(Duration.ZERO, 1)).isOne();
    assertThat(admin.metrics().instances()).isOne();
    assertThat(admin.history("a", 1).size() + admin.history("b", 1).size()).isEqualTo(2);
  }

  /** Many callers at once: each item reaches one of them, each ack answers its own caller. */
  @Test
  void nothingIsLostOrHandedOutTwiceAmongMany() throws Exception {
    int items = 2_000;
    int dispatchers = 32;
    Set<String> seen = new HashSet<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<List<String>>> workers =
          IntStream.range(0, dispatchers).mapToObj(i -> threads.submit(working())).toList();
      List<? extends Future<?>> producers =
          IntStream.range(0, items)
              .mapToObj(
                  i ->
                      threads.submit(
                          () -> provider.enqueueForWorker(work("i" + i, 1, "item " + i))))
              .toList();
      for (Future<?> producer : producers) {
        var _ = producer.get();
      }
      while (provider.admin().metrics().workItems() > 0) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < dispatchers; i++) {
        provider.enqueueForWorker(work("end", 1, "end"));
      }
      for (Future<List<String>> worker : workers) {
        for (String item : worker.get()) {
          assertThat(seen.add(item)).as(item).isTrue();
        }
      }
    }
    assertThat(seen).hasSize(items);
  }

  private Callable<List<String>> working() {
    return () -> {
      List<String> done = new java.util.ArrayList<>();
      while (true) {
        Optional<WorkItem> item = provider.fetchWorkItem(LOCK, LONG);
        if (item.isEmpty()) {
          continue;
        }
        Held held = provider.ackWorkItem(item.get().lockToken(), Optional.empty());
        assertThat(held).isEqualTo(Held.HELD);
        if (item.get().item().equals("end")) {
          return done;
        }
        done.add(item.get().item());
      }
    };
  }

  private WorkItem nextWork() throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (System.nanoTime() < end) {
      Optional<WorkItem> item = provider.fetchWorkItem(LOCK, LONG);
      if (item.isPresent()) {
        return item.get();
      }
    }
    throw new AssertionError("no work item within " + LONG);
  }

  private OrchestrationItem nextInstance() throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (System.nanoTime() < end) {
      Optional<OrchestrationItem> item = provider.fetchOrchestrationItem(LOCK, LONG);
      if (item.isPresent()) {
        return item.get();
      }
    }
    throw new AssertionError("no instance within " + LONG);
  }

  private static WorkMessage work(String instance, long activity, String item) {
    return new WorkMessage(instance, 1, activity, item, Optional.empty());
  }

  private static Turn firstTurn() {
    return new Turn(
        1,
        Optional.of(new Identity("greet", "1", Optional.empty())),
        List.of(new HistoryEvent(1, "Started", "{}"), new HistoryEvent(2, "Ordered", "{}")),
        List.of(work("i", 2, "greet")),
        List.of(new InstanceMessage("i", "timer")),
        List.of(),
        Optional.empty(),
        Optional.of("greeting"));
  }
}

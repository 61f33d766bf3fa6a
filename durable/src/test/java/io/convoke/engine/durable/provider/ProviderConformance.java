package io.convoke.engine.durable.provider;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every provider does, however it waits: the whole suite. */
public abstract class ProviderConformance extends LockConformance {
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
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.empty())).isEqualTo(LockStatus.HELD);
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.empty())).isEqualTo(LockStatus.LOST);
    assertThat(provider.admin().metrics().workItems()).isZero();
  }

  @Test
  void anAckSendsTheCompletionInTheSameStep() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem item = nextWork();
    InstanceMessage done = new InstanceMessage("i", "done");
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.of(done)))
        .isEqualTo(LockStatus.HELD);
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.of(done)))
        .isEqualTo(LockStatus.LOST);
    assertThat(nextInstance().messages()).containsExactly("done");
  }

  @Test
  void aLockThatEndedIsLostAndTheItemComesAgain() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem first = provider.fetchWorkItem(SHORT_LOCK, LONG).orElseThrow();
    WorkItem second = nextWork();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.lockToken()).isNotEqualTo(first.lockToken());
    assertThat(provider.ackWorkItem(first.lockToken(), Optional.empty()))
        .isEqualTo(LockStatus.LOST);
    assertThat(provider.renewWorkItemLock(first.lockToken(), LOCK)).isEqualTo(LockStatus.LOST);
    assertThat(provider.ackWorkItem(second.lockToken(), Optional.empty()))
        .isEqualTo(LockStatus.HELD);
  }

  @Test
  void aRenewedLockIsKept() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem item = provider.fetchWorkItem(Duration.ofSeconds(2), LONG).orElseThrow();
    assertThat(provider.renewWorkItemLock(item.lockToken(), LOCK)).isEqualTo(LockStatus.HELD);
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.empty())).isEqualTo(LockStatus.HELD);
  }

  @Test
  void whatIsGivenBackComesAgainAndAttemptsCountUnlessIgnored() throws Exception {
    provider.enqueueForWorker(work("i", 1, "do it"));
    WorkItem first = nextWork();
    assertThat(provider.abandonWorkItem(first.lockToken(), NO_DELAY, true))
        .isEqualTo(LockStatus.HELD);
    WorkItem second = nextWork();
    assertThat(second.attempt()).isOne();
    Instant hidden = provider.now().plusMillis(300);
    assertThat(
            provider.abandonWorkItem(
                second.lockToken(), Optional.of(Duration.ofMillis(300)), false))
        .isEqualTo(LockStatus.HELD);
    WorkItem third = nextWork();
    assertThat(third.attempt()).isEqualTo(2);
    assertThat(provider.now()).isAfterOrEqualTo(hidden.minusMillis(5));
    assertThat(provider.abandonWorkItem("unknown", NO_DELAY, false)).isEqualTo(LockStatus.LOST);
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
    assertThat(provider.ackOrchestrationItem(item.lockToken(), TurnCommit.empty(1)))
        .isEqualTo(LockStatus.HELD);
    OrchestrationItem next = nextInstance();
    assertThat(next.messages()).containsExactly("three");
    assertThat(next.turn()).isEqualTo(item.turn() + 1);
  }

  @Test
  void aTurnCommitsEverythingAtOnce() throws Exception {
    provider.enqueueForOrchestrator(new InstanceMessage("i", "start"));
    OrchestrationItem item = nextInstance();
    assertThat(provider.ackOrchestrationItem(item.lockToken(), firstTurn()))
        .isEqualTo(LockStatus.HELD);
    assertThat(provider.read("i")).hasSize(2);
    WorkItem work = nextWork();
    assertThat(work.activityId()).isEqualTo(2);
    assertThat(nextInstance().messages()).containsExactly("timer");
    var instanceInfo = provider.admin().instance("i").orElseThrow();
    assertThat(instanceInfo.name()).isEqualTo("greet");
    assertThat(instanceInfo.customStatus()).contains("greeting");
    assertThat(instanceInfo.status()).isEqualTo(ExecutionStatus.RUNNING);
    assertThat(provider.ackOrchestrationItem(item.lockToken(), firstTurn()))
        .isEqualTo(LockStatus.LOST);
    assertThat(provider.read("i")).hasSize(2);
  }

  @Test
  void aCancelledActivityIsTakenFromUnderItsWorker() throws Exception {
    provider.enqueueForOrchestrator(new InstanceMessage("i", "start"));
    LockStatus _ = provider.ackOrchestrationItem(nextInstance().lockToken(), firstTurn());
    WorkItem work = nextWork();
    OrchestrationItem item = nextInstance();
    TurnCommit cancel =
        new TurnCommit(
            1,
            Optional.empty(),
            List.of(),
            List.of(work("i", 3, "never")),
            List.of(),
            List.of(2L, 3L),
            Optional.empty(),
            Optional.empty());
    assertThat(provider.ackOrchestrationItem(item.lockToken(), cancel)).isEqualTo(LockStatus.HELD);
    assertThat(provider.renewWorkItemLock(work.lockToken(), LOCK)).isEqualTo(LockStatus.LOST);
    assertThat(provider.ackWorkItem(work.lockToken(), Optional.empty())).isEqualTo(LockStatus.LOST);
    assertThat(provider.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
  }

  @Test
  void anInstanceThatIsGivenBackComesAgain() throws Exception {
    provider.enqueueForOrchestrator(new InstanceMessage("i", "start"));
    OrchestrationItem first = provider.fetchOrchestrationItem(SHORT_LOCK, LONG).get();
    OrchestrationItem second = nextInstance();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(provider.ackOrchestrationItem(first.lockToken(), TurnCommit.empty(1)))
        .isEqualTo(LockStatus.LOST);
    assertThat(provider.renewOrchestrationItemLock(second.lockToken(), LOCK))
        .isEqualTo(LockStatus.HELD);
    assertThat(provider.abandonOrchestrationItem(second.lockToken(), NO_DELAY, true))
        .isEqualTo(LockStatus.HELD);
    assertThat(nextInstance().attempt()).isEqualTo(2);
    assertThat(provider.abandonOrchestrationItem("unknown", NO_DELAY, false))
        .isEqualTo(LockStatus.LOST);
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
        LockSupport.parkNanos(10_000_000);
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

  @Test
  void aFetchThatWaitsReturnsAtTheEndOfWaitsAndLaterOnesDoNotWait() throws Exception {
    Thread waiting = Thread.ofPlatform().start(() -> fetchesForAnHour());
    provider.endWaits();
    assertThat(waiting.join(LONG)).isTrue();
    Thread later = Thread.ofPlatform().start(() -> fetchesForAnHour());
    assertThat(later.join(LONG)).isTrue();
  }

  private void fetchesForAnHour() {
    try {
      assertThat(provider.fetchWorkItem(LOCK, Duration.ofHours(1))).isEmpty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Callable<List<String>> working() {
    return () -> {
      List<String> done = new java.util.ArrayList<>();
      while (true) {
        Optional<WorkItem> item = provider.fetchWorkItem(LOCK, LONG);
        if (item.isEmpty()) {
          continue;
        }
        LockStatus lockStatus = provider.ackWorkItem(item.get().lockToken(), Optional.empty());
        assertThat(lockStatus).isEqualTo(LockStatus.HELD);
        if (item.get().item().equals("end")) {
          return done;
        }
        done.add(item.get().item());
      }
    };
  }
}

package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Known flaws of such engines in locks and lock waits; see durable-proofs.md. */
@Tag("nightly")
class LockFlawsTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();
  private static final Duration SOON = Duration.ofSeconds(5);

  /**
   * Flaws 10, 11 and 32. Another node locks the instance while the claim waits for its row: the
   * claim takes the next instance and does not report an empty queue.
   */
  @Test
  void whoLosesAnInstanceToAnotherFindsTheNext() throws Exception {
    PostgresProvider provider = provider(ON);
    execute("insert into instances (instance_id) values ('i'), ('j')");
    insertMessage("i", "now() - interval '1 minute'");
    insertMessage("j", "now()");
    try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Optional<OrchestrationItem>> fetch =
          whileLocked(
              "update instances set lock_token = '0.x', locked_until = now() + interval '1 hour'"
                  + " where instance_id = 'i'",
              () -> thread.submit(() -> provider.fetchOrchestrationItem(LOCK, SOON)));
      assertThat(fetch.get()).map(OrchestrationItem::instanceId).contains("j");
    }
  }

  /** Flaw 27. A claim that waited longer than its lock timeout gets the whole lock timeout. */
  @Test
  void aLockIsCountedFromTheMomentOfLocking() throws Exception {
    PostgresProvider provider = provider(ON);
    execute("insert into instances (instance_id) values ('i')");
    insertMessage("i", "now()");
    Duration lock = Duration.ofSeconds(1);
    try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Optional<OrchestrationItem>> fetch =
          whileLocked(
              "update instances set updated_at = now() where instance_id = 'i'",
              () -> thread.submit(() -> provider.fetchOrchestrationItem(lock, LONG)));
      OrchestrationItem item = fetch.get().orElseThrow();
      assertThat(item.attempt()).isOne();
      assertThat(provider.ackOrchestrationItem(item.lockToken(), TurnCommit.empty(1)))
          .isEqualTo(LockStatus.HELD);
    }
  }

  /** Flaw 30. An interrupted fetch leaves no item locked that no dispatcher has. */
  @Test
  void anInterruptedFetchLosesNothing() throws Exception {
    PostgresProvider provider = provider(ON);
    Random random = new Random(30);
    Queue<WorkItem> taken = new ConcurrentLinkedQueue<>();
    int rounds = 20;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < rounds; round++) {
        execute(
            "insert into worker_queue (instance_id, work_item)"
                + " select 'i', 'x' from generate_series(1, 10)");
        List<Future<?>> fetching = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          fetching.add(threads.submit(() -> fetchAll(provider, taken)));
        }
        long until = System.nanoTime() + random.nextLong(3_000_000);
        while (System.nanoTime() < until) {
          Thread.onSpinWait();
        }
        fetching.forEach(each -> each.cancel(true));
      }
    }
    Optional<WorkItem> left = provider.fetchWorkItem(LOCK, SOON);
    while (left.isPresent()) {
      boolean _ = taken.add(left.get());
      left = provider.fetchWorkItem(LOCK, Duration.ofMillis(500));
    }
    assertThat(taken).hasSize(rounds * 10);
    assertThat(Set.copyOf(taken)).hasSize(rounds * 10);
  }

  /** Flaw 30. An interrupted writer does not break a group commit. */
  @Test
  void anInterruptedCallerHarmsNobody() throws Exception {
    PostgresProvider provider = provider(ON);
    int calls = 400;
    int failed = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        boolean interrupts = i % 4 == 0;
        all.add(
            threads.submit(
                () -> {
                  Thread me = Thread.currentThread();
                  Thread other = Thread.ofVirtual().unstarted(me::interrupt);
                  if (interrupts) {
                    other.start();
                  }
                  provider.enqueueForWorker(work("x"));
                }));
      }
      for (Future<?> one : all) {
        try {
          var _ = one.get();
        } catch (ExecutionException e) {
          assertThat(e).hasCauseInstanceOf(ProviderFailure.class);
          failed++;
        }
      }
    }
    assertThat(failed).isZero();
    assertThat(number("select count(*) as n from worker_queue")).isEqualTo(calls);
  }

  /** Flaw 33. A claim skips a first row that another transaction holds. */
  @Test
  void aRowThatSomebodyHoldsIsPassedOver() throws Exception {
    PostgresProvider provider = provider(ON);
    insertWork("now() - interval '1 minute'");
    long first = number("select id as n from worker_queue");
    insertWork("now()");
    WorkItem item =
        whileLocked(
            "update worker_queue set work_item = 'held' where id = " + first,
            () -> provider.fetchWorkItem(LOCK, SOON).orElseThrow());
    assertThat(item.item()).isEqualTo("x");
    assertThat(provider.fetchWorkItem(LOCK, SOON)).map(WorkItem::item).contains("held");
  }

  /** Flaw 34. Neither another schema nor another id with the same hash delays a claim. */
  @Test
  void neitherSchemasNorHashesBlockEachOther() throws Exception {
    PostgresProvider here = provider(ON);
    PostgresProvider there = keep(PostgresProvider.open(url, "elsewhere", ON));
    List<String> twins =
        foreign.read(
            tx ->
                tx.sql(
                        """
                        select unnest((array_agg(id))[1:2]) as id
                        from (select 'order-' || n as id from generate_series(1, 300000) n) ids
                        group by hashtext(id) having count(*) > 1 limit 2
                        """)
                    .list(resultRow -> resultRow.text("id")));
    assertThat(twins).hasSize(2);
    for (String twin : twins) {
      insertMessage(twin, "now()");
      execute(
          "insert into elsewhere.orchestrator_queue (instance_id, work_item) values ('"
              + twin
              + "', '{}')");
    }
    for (PostgresProvider node : List.of(here, there)) {
      Set<String> held = new HashSet<>();
      for (int i = 0; i < twins.size(); i++) {
        held.add(node.fetchOrchestrationItem(LOCK, SOON).orElseThrow().instanceId());
      }
      assertThat(held).containsExactlyInAnyOrderElementsOf(twins);
    }
  }

  private interface Doing<T> {
    T run() throws Exception;
  }

  /** Runs work beside an open transaction, and measures whether it waits for it. */
  private <T> T whileLocked(String lock, Doing<T> doing) throws Exception {
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> holder =
          thread.submit(
              () ->
                  foreign.run(
                      tx -> {
                        int _ = tx.sql(lock).update();
                        locked.countDown();
                        awaitLatch(begun);
                        var _ = tx.sql("select pg_sleep(1.5)::text as s").list(resultRow -> 1);
                      }));
      locked.await();
      try {
        return doing.run();
      } finally {
        begun.countDown();
        var _ = holder.get();
      }
    }
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void fetchAll(PostgresProvider provider, Queue<WorkItem> taken) {
    try {
      while (true) {
        provider.fetchWorkItem(LOCK, LONG).ifPresent(taken::add);
      }
    } catch (InterruptedException | ProviderFailure interrupted) {
      // That is what this is about.
    }
  }

  private static WorkMessage work(String item) {
    return new WorkMessage("i", 1, 1, item, Optional.empty());
  }
}

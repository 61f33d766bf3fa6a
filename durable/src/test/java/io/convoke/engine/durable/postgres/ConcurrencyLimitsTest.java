package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.ConcurrencyLimit;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Items of a key wait for a slot in FIFO order, and dispatchers are notified when one is free. */
class ConcurrencyLimitsTest extends NodeTestKit {
  private static final LongPollConfig WAITING = LongPollConfig.defaults().on();

  @Test
  void whoeverLeavesMakesRoomForTheFirstWhoWaits() throws Exception {
    PostgresProvider node = provider(WAITING);
    for (int i = 1; i <= 4; i++) {
      queue(node, "k", i, 2);
    }
    queue(node, "other", 5, 1);
    node.enqueueForWorker(new WorkMessage("free", 1, 6, "x", Optional.empty()));
    List<WorkItem> first = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      first.add(node.fetchWorkItem(LOCK, LONG).orElseThrow());
    }
    assertThat(first)
        .extracting(WorkItem::activityId)
        .containsExactlyInAnyOrder(1L, 2L, 5L, 6L)
        .containsSubsequence(1L, 2L);
    assertThat(node.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();

    assertThat(node.ackWorkItem(token(first, 2), Optional.empty())).isEqualTo(LockStatus.HELD);
    WorkItem third = node.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(third.activityId()).isEqualTo(3);
    assertThat(node.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
  }

  /** An item keeps its slot during the pause before its retry. */
  @Test
  void whatIsGivenBackKeepsItsPlace() throws Exception {
    PostgresProvider node = provider(WAITING);
    queue(node, "k", 1, 1);
    queue(node, "k", 2, 1);
    WorkItem first = node.fetchWorkItem(LOCK, LONG).orElseThrow();
    Duration pause = Duration.ofMillis(100);
    LockStatus _ = node.abandonWorkItem(first.lockToken(), Optional.of(pause), false);
    WorkItem again = node.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(again.activityId()).isEqualTo(1);
    assertThat(again.attempt()).isEqualTo(2);
  }

  @Test
  void aPlaceIsToldToNodesThatWait() throws Exception {
    PostgresProvider one = provider(WAITING);
    PostgresProvider two = provider(WAITING);
    queue(one, "k", 1, 1);
    queue(one, "k", 2, 1);
    WorkItem first = one.fetchWorkItem(LOCK, LONG).orElseThrow();
    awaitQuiet(two);
    long before = two.claims();
    LockStatus _ = one.ackWorkItem(first.lockToken(), Optional.empty());
    assertThat(two.fetchWorkItem(LOCK, LONG).orElseThrow().activityId()).isEqualTo(2);
    assertThat(two.claims() - before).as("claims of a node that is told").isLessThan(4);
  }

  /** Notifications of a session that also notifies itself of what it inserted. */
  @Tag("nightly")
  @Test
  void aPlaceIsToldToTheNodeThatMadeItOnASessionThatAnnouncesToo() throws Exception {
    PostgresProvider node = provider(WAITING);
    try (ExecutorService dispatchers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 1; i <= 10; i++) {
        awaitQuiet(node);
        node.enqueueForWorker(new WorkMessage("i", 1, 100 + i, "x", Optional.empty()));
        assertThat(ackOne(node)).isEqualTo(100 + i);
        awaitQuiet(node);
        Future<Long> next = dispatchers.submit(() -> ackOne(node));
        awaitIdle(node, 1);
        queue(node, "k", i, 1);
        assertThat(next.get(LONG.toSeconds() / 2, TimeUnit.SECONDS)).isEqualTo(i);
      }
    }
  }

  /** Works on the next item, and returns its activity. */
  private static long ackOne(PostgresProvider node) throws InterruptedException {
    WorkItem item = node.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(node.ackWorkItem(item.lockToken(), Optional.empty())).isEqualTo(LockStatus.HELD);
    return item.activityId();
  }

  @Test
  void cancelledAndDeletedWorkMakesRoomToo() throws Exception {
    PostgresProvider node = provider(LongPollConfig.defaults());
    for (int i = 1; i <= 4; i++) {
      queue(node, "k", i, 1);
    }
    node.enqueueForOrchestrator(new InstanceMessage("i1", "cancel"));
    node.enqueueForOrchestrator(new InstanceMessage("i2", "cancel"));
    for (int i = 0; i < 2; i++) {
      OrchestrationItem item = node.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      long activity = Long.parseLong(item.instanceId().substring(1));
      LockStatus _ = node.ackOrchestrationItem(item.lockToken(), cancelling(activity));
    }
    assertThat(node.fetchWorkItem(LOCK, LONG).orElseThrow().activityId()).isEqualTo(3);
    foreign.run(
        tx -> {
          int _ = tx.sql("delete from worker_queue where instance_id = 'i3'").update();
        });
    assertThat(node.fetchWorkItem(LOCK, LONG).orElseThrow().activityId()).isEqualTo(4);
  }

  @Test
  void aTurnMayOrderSuchWork() throws Exception {
    PostgresProvider node = provider(WAITING);
    node.enqueueForOrchestrator(new InstanceMessage("i", "start"));
    OrchestrationItem item = node.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
    TurnCommit turnCommit =
        new TurnCommit(
            1,
            Optional.empty(),
            List.of(),
            List.of(
                limited("k", 1, 1),
                new WorkMessage("i", 1, 2, "free", Optional.empty()),
                limited("k", 3, 1)),
            List.of(),
            List.of(),
            Optional.empty(),
            Optional.empty());
    assertThat(node.ackOrchestrationItem(item.lockToken(), turnCommit)).isEqualTo(LockStatus.HELD);
    List<WorkItem> items = new ArrayList<>();
    items.add(node.fetchWorkItem(LOCK, LONG).orElseThrow());
    items.add(node.fetchWorkItem(LOCK, LONG).orElseThrow());
    assertThat(items).extracting(WorkItem::activityId).containsExactlyInAnyOrder(1L, 2L);
    assertThat(node.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
  }

  /** The limit also holds for rows inserted by plain SQL, and on a node that polls. */
  @Test
  void plainSqlIsHeldToTheLimit() throws Exception {
    PostgresProvider node = provider(LongPollConfig.defaults());
    foreign.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into worker_queue (instance_id, work_item, limit_key, limit_most)
                      select 'i', n::text, 'k', 2 from generate_series(1, 3) as n
                      """)
                  .update();
        });
    assertThat(node.fetchWorkItem(LOCK, Duration.ZERO)).isPresent();
    assertThat(node.fetchWorkItem(LOCK, Duration.ZERO)).isPresent();
    assertThat(node.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
  }

  /** The next full scan admits an item that was skipped while another transaction held it. */
  @Test
  void whoWasPassedOverIsFoundByTheFallback() throws Exception {
    PostgresProvider node = provider(WAITING.withFallback(Duration.ofMillis(300)));
    queue(node, "k", 1, 1);
    queue(node, "k", 2, 1);
    WorkItem first = node.fetchWorkItem(LOCK, LONG).orElseThrow();
    foreign.run(
        tx -> {
          var _ =
              tx.sql("select id from worker_queue where visible_at = 'infinity' for update")
                  .list(resultRow -> resultRow.longAt("id"));
          assertThat(node.ackWorkItem(first.lockToken(), Optional.empty()))
              .isEqualTo(LockStatus.HELD);
        });
    assertThat(node.fetchWorkItem(LOCK, LONG).orElseThrow().activityId()).isEqualTo(2);
  }

  private static String token(List<WorkItem> items, long activity) {
    return items.stream()
        .filter(item -> item.activityId() == activity)
        .map(WorkItem::lockToken)
        .findFirst()
        .orElseThrow();
  }

  private static TurnCommit cancelling(long activity) {
    return new TurnCommit(
        1,
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(),
        List.of(activity),
        Optional.empty(),
        Optional.empty());
  }

  private static void queue(PostgresProvider node, String key, long activity, int most) {
    node.enqueueForWorker(limited(key, activity, most));
  }

  private static WorkMessage limited(String key, long activity, int most) {
    return new WorkMessage(
        "i" + activity,
        1,
        activity,
        "x",
        Optional.empty(),
        Optional.of(new ConcurrencyLimit(key, most)));
  }
}

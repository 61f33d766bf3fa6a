package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long polling with several nodes (durable-12). */
@Tag("nightly")
class MultiNodeTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();
  private static final Duration POLL = Duration.ofSeconds(2);

  /**
   * New work on N nodes: all are notified, one dispatcher of each polls, one gets the item, the
   * others find nothing and send no further tokens.
   */
  @Test
  void oneItemCostsEachNodeAFewLooksAndHasOneWinner() throws Exception {
    List<PostgresProvider> nodes = List.of(provider(ON), provider(ON), provider(ON));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<WorkItem>>> waiting = waiting(threads, nodes);
      List<Long> before = nodes.stream().map(PostgresProvider::claims).toList();
      insertWork("now()");
      assertThat(found(waiting)).as("winners").isOne();
      for (int i = 0; i < nodes.size(); i++) {
        assertThat(nodes.get(i).claims() - before.get(i)).as("looks of %d", i).isBetween(1L, 3L);
      }
    }
  }

  /** A timer is known to every node, and its item is delivered once. */
  @Test
  void aTimerIsKnownToAllNodesAndFiresForOne() throws Exception {
    List<PostgresProvider> nodes = List.of(provider(ON), provider(ON), provider(ON));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<WorkItem>>> waiting = waiting(threads, nodes);
      List<Long> before = nodes.stream().map(PostgresProvider::claims).toList();
      insertWork("clock_timestamp() + interval '500 milliseconds'");
      assertThat(found(waiting)).as("winners").isOne();
      for (int i = 0; i < nodes.size(); i++) {
        assertThat(nodes.get(i).claims() - before.get(i)).as("looks of %d", i).isBetween(1L, 3L);
      }
    }
  }

  /** The same if the node that set the timer is closed before it fires. */
  @Test
  void aTimerOutlivesTheNodeThatHeardOfItFirst() throws Exception {
    PostgresProvider first = provider(ON);
    PostgresProvider second = provider(ON);
    awaitQuiet(first);
    awaitQuiet(second);
    insertWork("clock_timestamp() + interval '700 milliseconds'");
    first.vanish();
    WorkItem _ = second.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(lateness()).isBetween(Duration.ofMillis(-1), Duration.ofMillis(400));
  }

  /** One notification of many items wakes all dispatchers of all nodes. */
  @Test
  void oneNotificationSetsAllDispatchersOfAllNodesToWork() throws Exception {
    List<PostgresProvider> nodes = List.of(provider(ON), provider(ON));
    int dispatchers = 4;
    AtomicInteger working = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> all = new ArrayList<>();
      for (PostgresProvider node : nodes) {
        for (int i = 0; i < dispatchers; i++) {
          all.add(
              threads.submit(
                  () -> {
                    WorkItem item = node.fetchWorkItem(LOCK, LONG).orElseThrow();
                    int _ = most.accumulateAndGet(working.incrementAndGet(), Math::max);
                    await("all are busy", () -> most.get() == nodes.size() * dispatchers);
                    LockStatus _ = node.ackWorkItem(item.lockToken(), Optional.empty());
                    return 1;
                  }));
        }
        awaitIdle(node, dispatchers);
      }
      execute(
          """
          insert into worker_queue (instance_id, work_item)
          select 'i', 'x' from generate_series(1, 8)
          """);
      for (Future<Integer> one : all) {
        assertThat(one.get()).isOne();
      }
    }
    assertThat(most).hasValue(8);
  }

  private static List<Future<Optional<WorkItem>>> waiting(
      ExecutorService threads, List<PostgresProvider> nodes) throws Exception {
    List<Future<Optional<WorkItem>>> waiting = new ArrayList<>();
    for (PostgresProvider node : nodes) {
      awaitQuiet(node);
    }
    for (PostgresProvider node : nodes) {
      waiting.addAll(dispatchers(threads, node, 4, POLL));
      awaitIdle(node, 4);
    }
    return waiting;
  }
}

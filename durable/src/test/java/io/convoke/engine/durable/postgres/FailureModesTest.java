package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Failure modes of long polling, on one node and on several (durable-10, durable-11). */
@Tag("nightly")
class FailureModesTest extends NodeTestKit {
  /** The LISTEN connection breaks: the node reconnects within a second and finds all work. */
  @Test
  void aCutListenerComesBackWithinASecond() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    awaitQuiet(provider);
    long connects = provider.connects();
    terminate("convoke-listener");
    long cut = System.nanoTime();
    insertWork("now()");
    assertThat(provider.fetchWorkItem(LOCK, Duration.ofSeconds(5))).isPresent();
    await("it listens again", () -> provider.connects() > connects);
    assertThat(Duration.ofNanos(System.nanoTime() - cut)).isLessThan(Duration.ofSeconds(1));
    await("it is told again", provider::announced);
  }

  /** After a reconnect the node scans both queues, also without waiting dispatchers. */
  @Test
  void aNodeThatListensAgainLooksAtEverything() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    awaitQuiet(provider);
    Instant before = storeTime();
    insertWork("now() + interval '1 hour'");
    awaitScan(before);
    long connects = provider.connects();
    terminate("convoke-listener");
    await("it listens again", () -> provider.connects() > connects);
    awaitScan(
        foreign.read(
            tx ->
                tx.sql(
                        """
                        select max(backend_start) as begun from pg_stat_activity
                        where datname = current_database()
                          and application_name = 'convoke-listener'
                        """)
                    .one(resultRow -> resultRow.instant("begun"))));
  }

  /** While LISTEN is impossible, the node finds work and timers by polling. */
  @Test
  void aNodeThatCannotListenPolls() throws Exception {
    LongPollConfig config = PostgresProviderTest.DEGRADED;
    PostgresProvider provider =
        keep(PostgresProvider.open(url, PostgresProviderTest.NOWHERE, "durable", config));
    insertWork("clock_timestamp() + interval '400 milliseconds'");
    WorkItem _ = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(lateness()).isBetween(Duration.ofMillis(-1), Duration.ofMillis(250));
    insertWork("now()");
    assertThat(provider.fetchWorkItem(LOCK, Duration.ofSeconds(2))).isPresent();
    assertThat(provider.announced()).isFalse();
  }

  /**
   * A node claims work that was announced to another, busy node, and dies. The other has seen none
   * of its locks; a claim that finds nothing makes it scan.
   */
  @Test
  void theWorkOfANodeWhoseLocksNobodySawIsTakenOver() throws Exception {
    PostgresProvider busy = provider(LongPollConfig.defaults().on());
    awaitQuiet(busy);
    Instant before = storeTime();
    insertWork("now()");
    awaitScan(before);
    execute(
        """
        update worker_queue set lock_token = '999999.1', attempt_count = 1,
          locked_until = now() + interval '1 hour'
        """);
    WorkItem taken = busy.fetchWorkItem(LOCK, Duration.ofSeconds(5)).orElseThrow();
    assertThat(taken.attempt()).isEqualTo(2);
  }

  /**
   * A node dies while it holds work: its session ends, and another node runs the work long before
   * the lock expires.
   */
  @Test
  void theWorkOfADeadNodeIsTakenOver() throws Exception {
    PostgresProvider victim = provider(LongPollConfig.defaults().on());
    awaitIdle(victim, 0);
    insertWork("now()");
    foreign.run(
        tx -> {
          int _ =
              tx.sql("insert into orchestrator_queue (instance_id, work_item) values ('i', '{}')")
                  .update();
        });
    WorkItem held = victim.fetchWorkItem(LOCK, LONG).orElseThrow();
    OrchestrationItem turn = victim.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
    PostgresProvider heir = provider(LongPollConfig.defaults().on());
    awaitIdle(heir, 0);
    awaitQuiet(heir);
    victim.vanish();
    long died = System.nanoTime();
    WorkItem taken = heir.fetchWorkItem(LOCK, LONG).orElseThrow();
    OrchestrationItem turnTaken = heir.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
    assertThat(Duration.ofNanos(System.nanoTime() - died)).isLessThan(Duration.ofSeconds(5));
    assertThat(taken.attempt()).isEqualTo(2);
    assertThat(turnTaken.turn()).isEqualTo(turn.turn() + 1);
    assertThat(heir.ackWorkItem(held.lockToken(), Optional.empty())).isEqualTo(LockStatus.LOST);
    assertThat(heir.ackWorkItem(taken.lockToken(), Optional.empty())).isEqualTo(LockStatus.HELD);
  }

  /** Two nodes on one burst: each item goes to one of them. */
  @Test
  void twoNodesShareABurst() throws Exception {
    PostgresProvider one = provider(LongPollConfig.defaults().on());
    PostgresProvider two = provider(LongPollConfig.defaults().on());
    int items = 500;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> workers = new ArrayList<>();
      for (PostgresProvider node : List.of(one, two)) {
        for (int i = 0; i < 4; i++) {
          workers.add(threads.submit(() -> workOff(node)));
        }
      }
      foreign.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into worker_queue (instance_id, work_item)
                        select 'i' || n, 'x' from generate_series(1, ?) n
                        """)
                    .with(items)
                    .update();
          });
      int done = 0;
      for (Future<Integer> worker : workers) {
        done += worker.get();
      }
      assertThat(done).isEqualTo(items);
    }
    assertThat(one.admin().metrics().workItems()).isZero();
  }

  /** An idle node runs almost no statements, whatever the number of its dispatchers. */
  @Test
  void anIdleNodeIsSilent() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<WorkItem>>> dispatchers = new ArrayList<>();
      for (int i = 0; i < 256; i++) {
        dispatchers.add(
            threads.submit(() -> provider.fetchWorkItem(LOCK, Duration.ofMillis(1500))));
      }
      awaitIdle(provider, 256);
      awaitQuiet(provider);
      long before = provider.claims();
      for (Future<Optional<WorkItem>> dispatcher : dispatchers) {
        assertThat(dispatcher.get()).isEmpty();
      }
      assertThat(provider.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
      assertThat(provider.claims()).isEqualTo(before);
    }
  }

  /** A node ignores its own notifications. */
  @Test
  void aNodeDoesNotListenToItself() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    awaitQuiet(provider);
    int rounds = 20;
    long looks = provider.claims();
    for (int round = 0; round < rounds; round++) {
      provider.enqueueForWorker(new WorkMessage("i", 1, 1, "x", Optional.empty()));
      WorkItem item = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
      LockStatus _ = provider.ackWorkItem(item.lockToken(), Optional.empty());
      assertThat(provider.fetchWorkItem(LOCK, Duration.ofMillis(50))).isEmpty();
    }
    assertThat(provider.claims() - looks).isLessThan(rounds * 5L / 2);
  }

  /** For a node without long polling the triggers notify. */
  @Test
  void whatANodeWithoutLongPollingWritesIsHeardByOthers() throws Exception {
    PostgresProvider waiting = provider(LongPollConfig.defaults().on());
    PostgresProvider silent = provider(LongPollConfig.defaults());
    awaitQuiet(waiting);
    silent.enqueueForWorker(new WorkMessage("i", 1, 1, "x", Optional.empty()));
    assertThat(waiting.fetchWorkItem(LOCK, Duration.ofSeconds(10))).isPresent();
  }

  /** One instance with more messages than a claim reads does not hide the others. */
  @Test
  void aFloodForOneInstanceHidesNobody() throws Exception {
    foreign.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into orchestrator_queue (instance_id, work_item)
                      select case when n <= 1000 then 'flood' else 'other ' || n end, n::text
                      from generate_series(1, 1003) n
                      """)
                  .update();
        });
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    OrchestrationItem flood = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
    assertThat(flood.messages()).hasSize(1000);
    for (int i = 1001; i <= 1003; i++) {
      OrchestrationItem other = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      assertThat(other.instanceId()).isEqualTo("other " + i);
    }
  }

  /** A message that arrives while its instance is locked is claimed right after the turn. */
  @Test
  void aMessageForAHeldInstanceIsNotForgotten() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    int rounds = 30;
    Duration waited = Duration.ZERO;
    for (int round = 0; round < rounds; round++) {
      provider.enqueueForOrchestrator(new InstanceMessage("i", "first"));
      OrchestrationItem first = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      provider.enqueueForOrchestrator(new InstanceMessage("i", "second"));
      provider.enqueueForOrchestrator(new InstanceMessage("other", "third"));
      OrchestrationItem other = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      assertThat(other.instanceId()).isEqualTo("other");
      ackNothing(provider, first);
      long over = System.nanoTime();
      OrchestrationItem second = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      waited = waited.plusNanos(System.nanoTime() - over);
      assertThat(second.messages()).containsExactly("second");
      ackNothing(provider, second);
      ackNothing(provider, other);
    }
    assertThat(waited.dividedBy(rounds)).isLessThan(Duration.ofMillis(60));
  }
}

package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.Listener;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The test plan of seed 002 by its numbers, and its failure modes. Writers here are foreign: plain
 * SQL by a session that knows nothing of the engine.
 */
class SeedPlanTest {
  private static final Duration LOCK = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofSeconds(20);

  private final DatabaseUrl url = DatabaseUrl.parse(Stores.forTests().freshDatabase());
  private final List<AutoCloseable> opened = new ArrayList<>();
  private Database foreign;

  @BeforeEach
  void install() {
    foreign = keep(Database.open(url, 4, "foreign", List.of("durable")));
    DurableSchema.install(foreign, "durable");
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
  }

  /** 1. The triggers exist after the migration, and again after it was run twice. */
  @Test
  void triggersExist() {
    DurableSchema.install(foreign, "durable");
    List<String> triggers =
        foreign.read(
            tx ->
                tx.sql(
                        """
                        select tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
                        where not tgisinternal and c.relnamespace = 'durable'::regnamespace
                        order by 1
                        """)
                    .list(row -> row.text("tgname")));
    assertThat(triggers).contains("trg_orch_notify", "trg_worker_notify");
  }

  /** 2 and 3. An insert notifies; the payload is the earliest visible_at in milliseconds. */
  @Test
  void anInsertNotifiesWithTheEarliestTime() {
    Signal<String> heard = new Signal<>();
    try (var all = heard.observe();
        var _ = new Listener(url, Map.of("durable_orch_work", listening(heard)))) {
      assertThat(all.await(LONG)).isEqualTo("rescan");
      Instant due = Instant.parse("2030-01-01T00:00:00.000400Z");
      foreign.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into orchestrator_queue (instance_id, work_item, visible_at)
                        values ('a', '{}', ?), ('b', '{}', ?)
                        """)
                    .with(due.plusSeconds(60), due)
                    .update();
          });
      assertThat(all.await(LONG)).isEqualTo(Long.toString(due.toEpochMilli() + 1));
      assertThat(all.drain()).isEmpty();
    }
  }

  /** 4. A foreign insert wakes a dispatcher; measured often, the typical time is under 10 ms. */
  @Test
  void immediateWorkWakesWithinTenMilliseconds() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    List<Long> micros = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
        Future<Long> woken =
            thread.submit(
                () -> {
                  WorkItem item = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
                  long now = System.nanoTime();
                  Held _ = provider.ackWorkItem(item.lockToken(), Optional.empty());
                  return now;
                });
        insertWork("now()");
        long inserted = System.nanoTime();
        micros.add((woken.get() - inserted) / 1000);
      }
    }
    micros.sort(Long::compare);
    assertThat(micros.get(25)).as("median, microseconds").isLessThan(10_000);
  }

  /** 5. A timer fires at its time: not before it, and soon after. */
  @Test
  void aTimerWakesAtItsTime() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    insertWork("clock_timestamp() + interval '400 milliseconds'");
    WorkItem _ = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(lateness()).isBetween(Duration.ofMillis(-1), Duration.ofMillis(250));
  }

  /** 6. Four dispatchers and one item: at most two look. */
  @Test
  void fourDispatchersOneItem() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<WorkItem>>> dispatchers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        dispatchers.add(threads.submit(() -> provider.fetchWorkItem(LOCK, Duration.ofSeconds(2))));
      }
      awaitIdle(provider, 4);
      long before = provider.claims();
      insertWork("now()");
      long found = 0;
      for (Future<Optional<WorkItem>> dispatcher : dispatchers) {
        found += dispatcher.get().isPresent() ? 1 : 0;
      }
      assertThat(found).isOne();
      assertThat(provider.claims() - before).isBetween(1L, 2L);
    }
  }

  /** 7. With the triggers disabled the fallback finds the work. */
  @Test
  void theFallbackFindsWhatNobodyAnnounced() throws Exception {
    PostgresProvider provider =
        provider(LongPollConfig.defaults().on().withFallback(Duration.ofMillis(500)));
    awaitQuiet(provider);
    foreign.run(
        tx -> {
          int _ = tx.sql("alter table worker_queue disable trigger user").update();
        });
    insertWork("now()");
    assertThat(provider.fetchWorkItem(LOCK, LONG)).isPresent();
  }

  /** 8, and flaw 1 and 2. An earlier timer is not held up by a later one, nor a later forgotten. */
  @Test
  void anEarlierTimerGoesFirstAndTheLaterIsNotForgotten() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    awaitQuiet(provider);
    insertWork("clock_timestamp() + interval '900 milliseconds'");
    insertWork("clock_timestamp() + interval '300 milliseconds'");
    insertWork("now()");
    for (int i = 0; i < 3; i++) {
      WorkItem item = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
      assertThat(lateness()).isBetween(Duration.ofMillis(-1), Duration.ofMillis(250));
      Held _ = provider.ackWorkItem(item.lockToken(), Optional.empty());
    }
  }

  /** Flaw 4: what was due or pending before the node came is found. */
  @Test
  void whatWasThereBeforeTheNodeIsFound() throws Exception {
    insertWork("now() - interval '1 hour'");
    insertWork("clock_timestamp() + interval '1500 milliseconds'");
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    assertThat(provider.fetchWorkItem(LOCK, LONG)).isPresent();
    WorkItem _ = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(lateness()).isBetween(Duration.ofMillis(-1), Duration.ofMillis(400));
  }

  /** Flaw 9: a row that a foreign update makes visible is announced too. */
  @Test
  void anUpdateWakesToo() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    insertWork("now() + interval '1 hour'");
    awaitQuiet(provider);
    foreign.run(
        tx -> {
          int _ = tx.sql("update worker_queue set visible_at = now()").update();
        });
    assertThat(provider.fetchWorkItem(LOCK, LONG)).isPresent();
  }

  /**
   * Failure mode: the listener's connection is cut. It is back within a second and misses nothing.
   */
  @Test
  void aCutListenerComesBackWithinASecond() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    awaitQuiet(provider);
    long connects = provider.connects();
    terminate("convoke-listener");
    insertWork("now()");
    assertThat(provider.fetchWorkItem(LOCK, Duration.ofSeconds(5))).isPresent();
    long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
    while (provider.connects() == connects && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(provider.connects()).isEqualTo(connects + 1);
  }

  /**
   * A node dies with work in its hands: its session is gone, and another node does the work long
   * before the lock would have ended.
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
    assertThat(heir.ackWorkItem(held.lockToken(), Optional.empty())).isEqualTo(Held.LOST);
    assertThat(heir.ackWorkItem(taken.lockToken(), Optional.empty())).isEqualTo(Held.HELD);
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

  /** An idle node asks almost nothing, whatever the number of its dispatchers. */
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
      long before = provider.claims();
      for (Future<Optional<WorkItem>> dispatcher : dispatchers) {
        assertThat(dispatcher.get()).isEmpty();
      }
      assertThat(provider.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
      assertThat(provider.claims()).isEqualTo(before);
    }
  }

  /** A message that comes while its instance is held is found when the turn is over. */
  @Test
  void aMessageForAHeldInstanceIsNotForgotten() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    for (int round = 0; round < 20; round++) {
      provider.enqueueForOrchestrator(new InstanceMessage("i", "first"));
      OrchestrationItem first = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      provider.enqueueForOrchestrator(new InstanceMessage("i", "second"));
      provider.enqueueForOrchestrator(new InstanceMessage("other", "third"));
      OrchestrationItem other = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      assertThat(other.instanceId()).isEqualTo("other");
      ackNothing(provider, first);
      OrchestrationItem second = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      assertThat(second.messages()).containsExactly("second");
      ackNothing(provider, second);
      ackNothing(provider, other);
    }
  }

  private static void ackNothing(PostgresProvider provider, OrchestrationItem item) {
    var turn = io.convoke.engine.durable.provider.Turn.nothing(item.executionId());
    assertThat(provider.ackOrchestrationItem(item.lockToken(), turn)).isEqualTo(Held.HELD);
  }

  private static int workOff(PostgresProvider node) throws InterruptedException {
    int done = 0;
    Optional<WorkItem> item = node.fetchWorkItem(LOCK, Duration.ofSeconds(3));
    while (item.isPresent()) {
      assertThat(node.ackWorkItem(item.get().lockToken(), Optional.empty())).isEqualTo(Held.HELD);
      done++;
      item = node.fetchWorkItem(LOCK, Duration.ofSeconds(3));
    }
    return done;
  }

  /** How long ago the latest row that is held became visible, by the database's clock. */
  private Duration lateness() {
    return foreign.read(
        tx ->
            tx.sql(
                    """
                    select extract(epoch from clock_timestamp() - max(visible_at)) * 1e6 as late
                    from worker_queue where lock_token is not null
                    """)
                .one(row -> Duration.ofNanos(Math.round(row.doubleAt("late") * 1000))));
  }

  private void insertWork(String visibleAt) {
    foreign.run(
        tx -> {
          int _ =
              tx.sql(
                      "insert into worker_queue (instance_id, work_item, visible_at) values ('i',"
                          + " 'x', "
                          + visibleAt
                          + ")")
                  .update();
        });
  }

  private void terminate(String application) {
    foreign.read(
        tx ->
            tx.sql(
                    """
                    select count(pg_terminate_backend(pid)) as n from pg_stat_activity
                    where application_name = ? and datname = current_database()
                    """)
                .with(application)
                .one(row -> row.intAt("n")));
  }

  private static void awaitIdle(PostgresProvider provider, int waiting) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!(provider.announced() && provider.waitingForWork() >= waiting)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("the node is not ready");
      }
      Thread.onSpinWait();
    }
  }

  /** Waits until the node knows that there is nothing, so that the next item must be announced. */
  private static void awaitQuiet(PostgresProvider provider) throws InterruptedException {
    awaitIdle(provider, 0);
    long before = -1;
    while (before != provider.claims()) {
      before = provider.claims();
      assertThat(provider.fetchWorkItem(LOCK, Duration.ofMillis(100))).isEmpty();
    }
  }

  private PostgresProvider provider(LongPollConfig config) {
    return keep(PostgresProvider.open(url, "durable", config));
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    opened.add(closeable);
    return closeable;
  }

  private static Listener.Receiver listening(Signal<String> heard) {
    return new Listener.Receiver() {
      @Override
      public void notified(String payload) {
        heard.emit(payload);
      }

      @Override
      public void rescan() {
        heard.emit("rescan");
      }
    };
  }
}

package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.PostgresListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Known flaws of such engines in timers, on a real Postgres; see durable-proofs.md. */
@Tag("nightly")
class TimerFlawsTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();

  /** Flaw 2. Hundreds of timers, announced by one notification for the earliest: none is late. */
  @Test
  void everyOneOfManyTimersFiresInTime() throws Exception {
    PostgresProvider provider = provider(ON);
    awaitQuiet(provider);
    int timers = 300;
    execute(
        """
        insert into worker_queue (instance_id, work_item, visible_at)
        select 'i', 'x', clock_timestamp() + n * interval '3 milliseconds'
        from generate_series(100, 399) n
        """);
    Duration latest = Duration.ZERO;
    for (int i = 0; i < timers; i++) {
      WorkItem item = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
      Duration late = lateness();
      assertThat(late).as("of timer %d", i).isGreaterThanOrEqualTo(Duration.ofMillis(-51));
      latest = late.compareTo(latest) > 0 ? late : latest;
      LockStatus _ = provider.ackWorkItem(item.lockToken(), Optional.empty());
    }
    assertThat(latest).isLessThan(Duration.ofMillis(500));
  }

  /** Flaw 4. Timers that were set while the node did not listen fire after its reconnect. */
  @Test
  void aTimerSetWhileNobodyListenedFires() throws Exception {
    PostgresProvider provider = provider(ON);
    awaitQuiet(provider);
    execute("alter table worker_queue disable trigger user");
    insertWork("clock_timestamp() + interval '1500 milliseconds'");
    long connects = provider.connects();
    terminate("convoke-listener");
    await("it listens again", () -> provider.connects() > connects);
    WorkItem _ = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(lateness()).isBetween(Duration.ofMillis(-1), Duration.ofMillis(400));
  }

  /** Flaw 5. A node that wakes early within the grace does not query until the timer is due. */
  @Test
  void aTimerCostsOneLookAndIsNotHandedOutEarly() throws Exception {
    PostgresProvider provider = provider(ON);
    awaitQuiet(provider);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<WorkItem>>> waiting =
          dispatchers(threads, provider, 4, Duration.ofSeconds(2));
      awaitIdle(provider, 4);
      long before = provider.claims();
      insertWork("clock_timestamp() + interval '600 milliseconds'");
      assertThat(found(waiting)).isOne();
      assertThat(provider.claims() - before).as("looks").isBetween(1L, 2L);
    }
  }

  /** Flaw 8. Notifications of a node are rounded up, as those of the trigger are. */
  @Test
  void aNodeAnnouncesTheNextWholeMillisecond() {
    PostgresProvider provider = provider(ON);
    awaitIdle(provider, 0);
    TestSignal<String> heard = new TestSignal<>();
    try (var all = heard.observe();
        var _ = new PostgresListener(url, Map.of("durable_worker_work", listening(heard)))) {
      assertThat(all.await(LONG)).isEqualTo("rescan");
      Instant due = Instant.parse("2031-01-01T00:00:00.000400Z");
      provider.enqueueForWorker(new WorkMessage("i", 1, 1, "x", Optional.of(due)));
      assertThat(all.await(LONG)).isEqualTo(Long.toString(due.toEpochMilli() + 1));
    }
  }

  /** Flaw 16. Short polls run no extra statements; only the fallback interval does. */
  @Test
  void theFallbackDoesNotDependOnThePollTimeout() throws Exception {
    Duration fallback = Duration.ofSeconds(1);
    PostgresProvider provider = provider(ON.withFallback(fallback));
    awaitQuiet(provider);
    execute("alter table worker_queue disable trigger user");
    long before = provider.claims();
    insertWork("now()");
    long begun = System.nanoTime();
    Optional<WorkItem> item = Optional.empty();
    int polls = 0;
    while (item.isEmpty() && polls < 1_000) {
      item = provider.fetchWorkItem(LOCK, Duration.ofMillis(20));
      polls++;
    }
    assertThat(item).isPresent();
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(fallback.multipliedBy(3));
    assertThat(provider.claims() - before).as("looks in %d polls", polls).isLessThanOrEqualTo(3);
  }

  /** Flaw 17. Timers of the orchestrator queue; the test plan has those of the worker queue. */
  @Test
  void aTimerOfAnInstanceFiresAtItsTime() throws Exception {
    PostgresProvider provider = provider(ON);
    awaitQuiet(provider);
    insertMessage("later", "clock_timestamp() + interval '700 milliseconds'");
    insertMessage("i", "clock_timestamp() + interval '300 milliseconds'");
    for (String instance : List.of("i", "later")) {
      OrchestrationItem item = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
      assertThat(item.instanceId()).isEqualTo(instance);
      assertThat(number(LATE)).as("ms late").isBetween(0L, 250L);
      ackNothing(provider, item);
    }
  }

  private static final String LATE =
      """
      select ceil(extract(epoch from clock_timestamp() - visible_at) * 1000)::bigint as n
      from orchestrator_queue where lock_token is not null
      """;

  /** Flaw 22. Timers in the far future cost no poll, and infinity is no error. */
  @Test
  void aFarTimerWakesNobody() throws Exception {
    PostgresProvider provider = provider(ON);
    List<Long> looks = new ArrayList<>();
    awaitQuiet(provider);
    looks.add(provider.claims());
    Instant before = storeTime();
    insertWork("now() + interval '10 years'");
    insertWork("'infinity'");
    insertMessage("i", "'infinity'");
    awaitScan(before);
    assertThat(provider.fetchWorkItem(LOCK, Duration.ofMillis(300))).isEmpty();
    looks.add(provider.claims());
    assertThat(looks.getLast() - looks.getFirst()).isLessThanOrEqualTo(1);
    insertWork("'-infinity'");
    assertThat(provider.fetchWorkItem(LOCK, LONG)).as("since ever").isPresent();
    insertMessage("held", "now()");
    OrchestrationItem held = provider.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
    insertMessage("held", "'-infinity'");
    ackNothing(provider, held);
    assertThat(provider.fetchOrchestrationItem(LOCK, LONG)).as("since ever").isPresent();
    insertWork("now()");
    assertThat(provider.fetchWorkItem(LOCK, LONG)).as("after that").isPresent();
  }
}

package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkItem;
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

/** The test plan of long polling by its numbers, with flaws that the same tests show. */
@Tag("nightly")
class SeedPlanTest extends NodeTestKit {
  /** 1. The triggers exist after the migration, and after a second one. */
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
                    .list(resultRow -> resultRow.text("tgname")));
    assertThat(triggers).contains("trg_orch_notify", "trg_worker_notify");
  }

  /** 2 and 3. An insert notifies; the payload is the earliest visible_at in milliseconds. */
  @Test
  void anInsertNotifiesWithTheEarliestTime() {
    TestSignal<String> heard = new TestSignal<>();
    try (var all = heard.observe();
        var _ = new PostgresListener(url, Map.of("durable_orch_work", listening(heard)))) {
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
                  LockStatus _ = provider.ackWorkItem(item.lockToken(), Optional.empty());
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

  /** 6. Four dispatchers and one item: at most two poll. */
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

  /** 8, and flaws 1 and 2. A later timer neither delays an earlier one nor is lost. */
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
      LockStatus _ = provider.ackWorkItem(item.lockToken(), Optional.empty());
    }
  }

  /** Flaw 4: a new node finds items that were due or pending before. */
  @Test
  void whatWasThereBeforeTheNodeIsFound() throws Exception {
    insertWork("now() - interval '1 hour'");
    insertWork("clock_timestamp() + interval '1500 milliseconds'");
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    assertThat(provider.fetchWorkItem(LOCK, LONG)).isPresent();
    WorkItem _ = provider.fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(lateness()).isBetween(Duration.ofMillis(-1), Duration.ofMillis(400));
  }

  /** Flaw 9: an update by plain SQL that makes a row visible notifies too. */
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

  /** Flaw 29. By default long polling is disabled. */
  @Test
  void longPollingIsDisabledByDefault() {
    LongPollConfig config = LongPollConfig.defaults();
    assertThat(config.enabled()).isFalse();
    assertThat(config.fallbackInterval()).isEqualTo(Duration.ofSeconds(60));
    assertThat(config.timerGrace()).isEqualTo(Duration.ofMillis(50));
    assertThat(config.on().enabled()).isTrue();
  }

  /**
   * "Burst of work": one notification wakes four dispatchers, and a hundred items cost eight tokens
   * at most, besides one for each scan that saw some of them.
   */
  @Tag("nightly")
  @Test
  void aBurstOfAHundredCostsEightTokens() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    awaitQuiet(provider);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> dispatchers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        dispatchers.add(threads.submit(() -> workOff(provider)));
      }
      awaitIdle(provider, 4);
      long tokens = provider.tokensForWork();
      long begun = System.nanoTime();
      execute(
          """
          insert into worker_queue (instance_id, work_item)
          select 'i', 'x' from generate_series(1, 100)
          """);
      int done = 0;
      for (Future<Integer> dispatcher : dispatchers) {
        done += dispatcher.get();
      }
      long scans = 1 + (System.nanoTime() - begun) / Duration.ofMillis(200).toNanos();
      assertThat(done).isEqualTo(100);
      assertThat(provider.tokensForWork() - tokens).isBetween(1L, 8 + scans);
    }
  }

  /** "Sustained load": a dispatcher that finds work without having been woken sends no token. */
  @Tag("nightly")
  @Test
  void underLoadNobodySendsTokens() throws Exception {
    PostgresProvider provider = provider(LongPollConfig.defaults().on());
    awaitQuiet(provider);
    execute("alter table worker_queue disable trigger user");
    execute(
        """
        insert into worker_queue (instance_id, work_item)
        select 'i', 'x' from generate_series(1, 1000)
        """);
    Instant cut = storeTime();
    terminate("convoke-listener");
    await("it looks again", () -> provider.connects() == 2);
    awaitScan(cut);
    long tokens = settled(provider::tokensForWork);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> dispatchers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        dispatchers.add(threads.submit(() -> workOff(provider)));
      }
      int done = 0;
      for (Future<Integer> dispatcher : dispatchers) {
        done += dispatcher.get();
      }
      assertThat(done).isEqualTo(1000);
    }
    assertThat(provider.tokensForWork() - tokens)
        .as("the token of the scan")
        .isLessThanOrEqualTo(1);
  }
}

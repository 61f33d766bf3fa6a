package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.engine.wake.SilentProxy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Known flaws of such engines in wake-ups, connections and names; see durable-proofs.md. */
@Tag("nightly")
class SeedFlawsTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();
  private static final Duration SOON = Duration.ofSeconds(5);

  /** Flaw 9. A node is woken for items that another node abandons, at once or with a delay. */
  @Test
  void whatAnotherNodeGivesBackIsHeard() throws Exception {
    PostgresProvider giver = provider(ON);
    PostgresProvider taker = provider(ON);
    insertWork("now()");
    insertMessage("i", "now()");
    WorkItem item = giver.fetchWorkItem(LOCK, LONG).orElseThrow();
    OrchestrationItem turn = giver.fetchOrchestrationItem(LOCK, LONG).orElseThrow();
    awaitQuiet(taker);
    assertThat(taker.fetchOrchestrationItem(LOCK, Duration.ofMillis(100))).isEmpty();
    LockStatus _ = giver.abandonWorkItem(item.lockToken(), Optional.empty(), false);
    assertThat(taker.fetchWorkItem(LOCK, SOON)).isPresent();
    Optional<Duration> delay = Optional.of(Duration.ofMillis(300));
    LockStatus _ = giver.abandonOrchestrationItem(turn.lockToken(), delay, false);
    assertThat(taker.fetchOrchestrationItem(LOCK, SOON)).isPresent();
  }

  /** Flaw 9. The expiry of a lock wakes nodes that did not take it. */
  @Test
  void theEndOfAnothersLockWakes() throws Exception {
    PostgresProvider waiting = provider(ON);
    PostgresProvider polling = provider(LongPollConfig.defaults());
    awaitQuiet(waiting);
    insertWork("now()");
    WorkItem held = polling.fetchWorkItem(Duration.ofSeconds(1), LONG).orElseThrow();
    WorkItem again = waiting.fetchWorkItem(LOCK, SOON).orElseThrow();
    assertThat(again.attempt()).isEqualTo(held.attempt() + 1);
  }

  /** Flaw 18. A node polls while its LISTEN connection is open and delivers nothing. */
  @Test
  void aDeafListenerIsNoticed() throws Exception {
    int port = URI.create(url.jdbc().substring("jdbc:".length())).getPort();
    try (SilentProxy proxy = new SilentProxy(port)) {
      DatabaseUrl through =
          new DatabaseUrl(
              url.jdbc().replace(":" + port, ":" + proxy.port()), url.user(), url.password());
      PostgresProvider provider =
          keep(
              PostgresProvider.open(
                  url, through, "durable", ON.withFallback(Duration.ofMillis(500))));
      awaitQuiet(provider);
      proxy.silenceOpenConnections();
      await("it detects that LISTEN delivers nothing", () -> !provider.announced());
      insertWork("now()");
      assertThat(provider.fetchWorkItem(LOCK, SOON)).isPresent();
      proxy.cut();
      await("it hears again", provider::announced);
    }
  }

  /** Flaw 19. The connections for LISTEN and NOTIFY are not of the pool. */
  @Test
  void theListenerHasAConnectionOfItsOwn() {
    PostgresProvider provider = provider(ON);
    awaitIdle(provider, 0);
    for (String own : List.of("convoke-listener", "convoke-durable-announcer")) {
      await(own, () -> connections(own) == 1);
    }
    assertThat(
            number(
                "select count(*) as n from pg_stat_activity where query like 'LISTEN%'"
                    + " and application_name = 'convoke-durable' and datname = current_database()"))
        .isZero();
  }

  /** Flaw 20. In a schema whose name has the greatest length in bytes an insert notifies. */
  @Test
  void aLongSchemaNameFailsNoInsertAndIsHeard() throws Exception {
    for (String schema :
        List.of("s".repeat(63), "\u00e9".repeat(31), "\u00e9".repeat(30) + "xyz")) {
      PostgresProvider provider = keep(PostgresProvider.open(url, schema, ON));
      awaitQuiet(provider);
      for (String queue : List.of("worker_queue", "orchestrator_queue")) {
        execute(
            "insert into \""
                + schema
                + "\"."
                + queue
                + " (instance_id, work_item) values ('i', 'x')");
      }
      assertThat(provider.fetchWorkItem(LOCK, SOON)).as(schema).isPresent();
      assertThat(provider.fetchOrchestrationItem(LOCK, SOON)).as(schema).isPresent();
    }
  }

  /** Flaw 21. The engine notifies in separate transactions, one for many commits. */
  @Test
  void manyCommitsAreAnnouncedByOneNotification() throws Exception {
    PostgresProvider provider = provider(ON);
    awaitIdle(provider, 0);
    Queue<Integer> senders = new ConcurrentLinkedQueue<>();
    TestSignal<String> heard = new TestSignal<>();
    PostgresListener.NotificationReceiver notificationReceiver =
        new PostgresListener.NotificationReceiver() {
          @Override
          public void notified(String payload) {
            heard.emit(payload);
          }

          @Override
          public void notified(String payload, int sender) {
            boolean _ = senders.add(sender);
            notified(payload);
          }

          @Override
          public void rescan() {
            heard.emit("rescan");
          }
        };
    int writes = 600;
    try (var all = heard.observe();
        var _ = new PostgresListener(url, Map.of("durable_worker_work", notificationReceiver));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      assertThat(all.await(LONG)).isEqualTo("rescan");
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < writes; i++) {
        calls.add(threads.submit(() -> provider.enqueueForWorker(work("x"))));
      }
      for (Future<?> call : calls) {
        var _ = call.get();
      }
      String _ = all.await(LONG);
    }
    List<Integer> engine =
        foreign.read(
            tx ->
                tx.sql(
                        """
                        select pid from pg_stat_activity where datname = current_database()
                          and application_name in ('convoke-durable', 'convoke-durable-announcer')
                        """)
                    .list(resultRow -> resultRow.intAt("pid")));
    assertThat(engine).containsAll(senders);
    assertThat(senders.size()).isLessThan(writes / 2);
  }

  /** Flaw 25. After a close no connection is open, and waiting fetches have returned. */
  @Test
  void aClosedNodeLeavesNothingBehind() throws Exception {
    PostgresProvider provider = PostgresProvider.open(url, "durable", ON);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<WorkItem>>> waiting = dispatchers(threads, provider, 4, LONG);
      awaitIdle(provider, 4);
      provider.close();
      assertThat(found(waiting)).isZero();
    }
    for (String own : List.of("convoke-durable", "convoke-listener", "convoke-durable-announcer")) {
      await("no " + own, () -> connections(own) == 0);
    }
    assertThat(
            Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("durable-scan")))
        .isEmpty();
  }

  /** Flaw 25. A closing node releases items that it claimed early and did not hand out. */
  @Test
  void aClosedNodeReleasesItemsThatWereNotHandedOut() throws Exception {
    LongPollConfig early =
        new LongPollConfig(
            true, Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofMillis(50));
    PostgresProvider closing = PostgresProvider.open(url, "durable", early);
    awaitQuiet(closing);
    insertWork("clock_timestamp() + interval '3 seconds'");
    assertThat(closing.fetchWorkItem(LOCK, Duration.ofMillis(300))).as("not yet").isEmpty();
    String held = "select count(*) as n from worker_queue where lock_token is not null";
    assertThat(number(held)).as("claimed early").isOne();
    closing.close();
    assertThat(number(held)).isZero();
    WorkItem item = provider(ON).fetchWorkItem(LOCK, LONG).orElseThrow();
    assertThat(item.attempt()).isOne();
  }

  private long connections(String application) {
    return number(
        "select count(*) as n from pg_stat_activity where datname = current_database()"
            + " and application_name = '"
            + application
            + "'");
  }

  private static WorkMessage work(String item) {
    return new WorkMessage("i", 1, 1, item, Optional.empty());
  }
}

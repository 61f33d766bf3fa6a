package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The stress tests of the test plan, printed for long poll and short poll. */
@Tag("nightly")
class SeedLoadTest {
  private static final LongPollConfig SHORT = LongPollConfig.defaults();
  private static final Duration LOCK = Duration.ofSeconds(30);
  private static final int DISPATCHERS = 4;

  /**
   * 9. Throughput: no regression against short polling. Both modes alternate on the same machine
   * and the best run of each counts, so that other load on the machine does not decide.
   */
  @Test
  void longPollingIsNotSlower() throws Exception {
    double[] best = new double[2];
    try (PostgresProvider on = open(LocalStores.forTests().freshDatabase(), SHORT.on());
        PostgresProvider off = open(LocalStores.forTests().freshDatabase(), SHORT)) {
      NodeTestKit.await("it is told", on::announced);
      for (int round = 0; round < 4; round++) {
        best[0] = Math.max(best[0], itemsPerSecond(on, Optional.empty()));
        best[1] = Math.max(best[1], itemsPerSecond(off, Optional.of(SHORT.idleSleep())));
      }
    }
    print("9, throughput: long poll %,.0f items/s, short poll %,.0f items/s", best[0], best[1]);
    assertThat(best[0]).as("long poll, a tenth is noise").isGreaterThan(best[1] * 0.9);
  }

  /**
   * 10. Idle load. The plan counts statements for 60 s with a fallback of 60 s; here both are a
   * quarter of that, and so are the polls, so the count is the same and is divided by 60 s.
   */
  @Test
  void anIdleNodeAsksNextToNothing() throws Exception {
    int shortened = 4;
    Duration span = Duration.ofSeconds(60).dividedBy(shortened);
    LongPollConfig slow = SHORT.on().withFallback(span);
    Duration poll = Duration.ofSeconds(30).dividedBy(shortened);
    try (EmbeddedPostgres embeddedPostgres =
        LocalStores.forTests()
            .ownPostgres(List.of("shared_preload_libraries=pg_stat_statements"))) {
      embeddedPostgres.createDatabase("long", "template1");
      embeddedPostgres.createDatabase("short", "template1");
      try (Connection outside = embeddedPostgres.connect("postgres");
          PostgresProvider on = open(embeddedPostgres.url("long"), slow);
          PostgresProvider off = open(embeddedPostgres.url("short"), SHORT);
          Idle _ = new Idle(on, poll, Optional.empty());
          Idle _ = new Idle(off, poll, Optional.of(SHORT.idleSleep()))) {
        execute(outside, "create extension pg_stat_statements");
        NodeTestKit.awaitIdle(on, DISPATCHERS);
        awaitCalm(outside);
        long[] before = {calls(outside, "long"), calls(outside, "short")};
        LockSupport.parkNanos(span.toNanos());
        double asked = (calls(outside, "long") - before[0]) / 60.0;
        double polled = (calls(outside, "short") - before[1]) / (double) span.toSeconds();
        print("10, idle statements/s: long poll %.3f, short poll %.1f", asked, polled);
        assertThat(asked).as("long poll").isLessThanOrEqualTo(0.05);
        assertThat(polled).as("short poll, or nothing was counted").isGreaterThan(10);
      }
    }
  }

  /** Dispatchers of both queues with nothing to do. */
  private static final class Idle implements AutoCloseable {
    private final AtomicBoolean over = new AtomicBoolean();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    Idle(PostgresProvider provider, Duration poll, Optional<Duration> pause) {
      for (int i = 0; i < DISPATCHERS; i++) {
        var _ = threads.submit(() -> loop(() -> provider.fetchWorkItem(LOCK, poll), pause));
        var _ =
            threads.submit(() -> loop(() -> provider.fetchOrchestrationItem(LOCK, poll), pause));
      }
    }

    private Void loop(Fetch fetch, Optional<Duration> pause) throws InterruptedException {
      while (!over.get()) {
        assertThat(fetch.next()).isEmpty();
        pause.ifPresent(time -> LockSupport.parkNanos(time.toNanos()));
      }
      return null;
    }

    @Override
    public void close() {
      over.set(true);
      threads.close();
    }
  }

  private interface Fetch {
    Optional<?> next() throws InterruptedException;
  }

  /** From the first call of 64 callers to the last acknowledgement of 16 dispatchers. */
  private static double itemsPerSecond(PostgresProvider provider, Optional<Duration> pause)
      throws Exception {
    int items = 3_000;
    AtomicInteger queued = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    long begun = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int caller = 0; caller < 64; caller++) {
        all.add(
            threads.submit(
                () -> {
                  while (queued.incrementAndGet() <= items) {
                    provider.enqueueForWorker(new WorkMessage("i", 1, 1, "x", Optional.empty()));
                  }
                }));
      }
      for (int dispatcher = 0; dispatcher < 16; dispatcher++) {
        all.add(threads.submit(() -> work(provider, done, items, pause)));
      }
      for (Future<?> one : all) {
        var _ = one.get();
      }
    }
    return items / ((System.nanoTime() - begun) / 1e9);
  }

  private static Void work(
      PostgresProvider provider, AtomicInteger done, int items, Optional<Duration> pause)
      throws InterruptedException {
    while (done.get() < items) {
      Optional<WorkItem> item = provider.fetchWorkItem(LOCK, Duration.ofMillis(50));
      if (item.isPresent()) {
        assertThat(provider.ackWorkItem(item.get().lockToken(), Optional.empty()))
            .isEqualTo(LockStatus.HELD);
        int _ = done.incrementAndGet();
      } else {
        pause.ifPresent(time -> LockSupport.parkNanos(time.toNanos()));
      }
    }
    return null;
  }

  /** Waits until the statements of the start have ended: none ran for a second. */
  private static void awaitCalm(Connection outside) throws SQLException {
    long before = -1;
    while (before != calls(outside, "long")) {
      before = calls(outside, "long");
      LockSupport.parkNanos(1_000_000_000L);
    }
  }

  private static long calls(Connection outside, String database) throws SQLException {
    try (Statement statement = outside.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select coalesce(sum(s.calls), 0)::bigint from pg_stat_statements(false) s"
                    + " join pg_database d on d.oid = s.dbid where d.datname = '"
                    + database
                    + "'")) {
      boolean _ = rows.next();
      return rows.getLong(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }

  private static PostgresProvider open(String url, LongPollConfig config) {
    return PostgresProvider.open(DatabaseUrl.parse(url), "durable", config);
  }

  private static void print(String form, Object... values) {
    System.out.printf("test plan, test " + form + "%n", values);
  }
}

package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.JobInfo.JobState;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs, as an application uses them, on a real Postgres. */
class JobsTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SOON = Duration.ofMillis(200);
  private static final JobOptions TWICE =
      JobOptions.retried(RetryPolicy.attempts(2, Duration.ofMillis(20)));

  private final String url = LocalStores.forTests().freshDatabase();
  private final LinkedBlockingQueue<String> ran = new LinkedBlockingQueue<>();

  private record Order(String customer, int amount) {}

  private Durable.Builder noting() {
    return Durable.on(url).job("note", String.class, (context, input) -> ran.add(input));
  }

  private String next() throws InterruptedException {
    return Optional.ofNullable(ran.poll(LONG.toSeconds(), TimeUnit.SECONDS)).orElse("nothing");
  }

  private Connection connect() throws Exception {
    DatabaseUrl parsed = DatabaseUrl.parse(url);
    return DriverManager.getConnection(parsed.jdbc(), parsed.properties());
  }

  private long open() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from durable.open_jobs")) {
      assertThat(rows.next()).isTrue();
      return rows.getLong(1);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(100_000_000);
    }
  }

  @Test
  void jobsOfAnyInputRunAndLeaveNothing() throws Exception {
    AtomicInteger sum = new AtomicInteger();
    try (Durable engine =
        Durable.on(url)
            .job("noop", String.class, (context, input) -> {})
            .job("add", Order.class, (context, order) -> sum.addAndGet(order.amount()))
            .job("none", String.class, (context, input) -> ran.add("null: " + (input == null)))
            .job("me", String.class, (context, input) -> ran.add(context.id() + context.attempt()))
            .start()) {
      String _ = engine.enqueue("noop", "x");
      String _ = engine.enqueue("add", new Order("a", 2));
      assertThat(
              engine.enqueueAll(
                  "add", IntStream.range(0, 2500).mapToObj(i -> new Order("b", 1)).toList()))
          .hasSize(2500)
          .doesNotHaveDuplicates();
      String _ = engine.enqueue("none", null);
      assertThat(next()).isEqualTo("null: true");
      String id = engine.enqueue("me", "");
      assertThat(next()).isEqualTo(id + 1);
      await("all are done", () -> open() == 0);
      assertThat(sum).hasValue(2502);
      assertThat(engine.deadJobs(JobQuery.newest(10))).isEmpty();
    }
  }

  /** Another session keeps the engine from deleting the row of a job that has run. */
  @Test
  void anEngineIsClosedWhenTheEndsOfItsJobsAreCommitted() throws Exception {
    CountDownLatch locked = new CountDownLatch(1);
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        Durable engine =
            Durable.on(url)
                .job(
                    "note",
                    String.class,
                    (context, input) -> {
                      ran.add(input);
                      assertThat(locked.await(20, TimeUnit.SECONDS)).isTrue();
                    })
                .start()) {
      String _ = engine.enqueue("note", "x");
      assertThat(next()).isEqualTo("x");
      connection.setAutoCommit(false);
      boolean _ = statement.execute("select from durable.worker_queue for update");
      locked.countDown();
      Runnable close = engine::close;
      Thread closing = Thread.startVirtualThread(close);
      assertThat(closing.join(Duration.ofSeconds(2))).isFalse();
      connection.rollback();
      closing.join();
      long again = System.nanoTime();
      close.run();
      assertThat(Duration.ofNanos(System.nanoTime() - again)).isLessThan(Duration.ofSeconds(5));
    }
    assertThat(open()).isZero();
  }

  @Test
  void aFailingJobIsRetriedThenDeadAndRunsAgainWhenItIsRequeued() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    List<Long> times = Collections.synchronizedList(new ArrayList<>());
    try (Durable engine =
        Durable.on(url)
            .job(
                "flaky",
                String.class,
                JobOptions.retried(RetryPolicy.attempts(3, Duration.ofMillis(60))),
                (context, input) -> {
                  times.add(System.nanoTime());
                  if (attempts.incrementAndGet() <= 3) {
                    throw new IllegalStateException("attempt " + context.attempt());
                  }
                  ran.add(input + context.attempt());
                })
            .start()) {
      String id = engine.enqueue("flaky", "x", EnqueueOptions.NONE.tagged("t")).orElseThrow();
      await("it is dead", () -> !engine.deadJobs(JobQuery.newest(10)).isEmpty());
      assertThat(engine.deadJobs(JobQuery.newest(10).named("flaky").tagged("t")))
          .singleElement()
          .satisfies(
              dead -> {
                assertThat(dead.id()).isEqualTo(id);
                assertThat(dead.input().asString()).isEqualTo("x");
                assertThat(dead.error()).isEqualTo("attempt 3");
                assertThat(dead.attempts()).isEqualTo(3);
                assertThat(dead.diedAt()).isAfter(dead.enqueuedAt());
              });
      assertThat(engine.deadJobs(JobQuery.newest(10).named("other"))).isEmpty();
      assertThat(times.get(1) - times.get(0)).isGreaterThan(50_000_000);
      assertThat(times.get(2) - times.get(1)).isGreaterThan(110_000_000);
      assertThat(open()).isZero();

      assertThat(engine.requeue(id)).isTrue();
      assertThat(engine.requeue(id)).isFalse();
      assertThat(next()).isEqualTo("x1");
      assertThat(engine.deadJobs(JobQuery.newest(10))).isEmpty();
    }
  }

  @Test
  void aDeadJobCanBeDeleted() {
    try (Durable engine =
        Durable.on(url)
            .job(
                "fail",
                String.class,
                JobOptions.retried(RetryPolicy.NONE),
                (context, input) -> {
                  throw new StackOverflowError();
                })
            .start()) {
      String id = engine.enqueue("fail", "x");
      await("it is dead", () -> engine.deadJobs(JobQuery.newest(1)).size() == 1);
      assertThat(engine.deleteDeadJob(id)).isTrue();
      assertThat(engine.deleteDeadJob(id)).isFalse();
      assertThat(engine.requeue(id)).isFalse();
    }
  }

  @Test
  void aJobThatCannotSucceedIsDeadAfterOneAttempt() {
    AtomicInteger attempts = new AtomicInteger();
    try (Durable engine =
        Durable.on(url)
            .job(
                "refused",
                String.class,
                (context, input) -> {
                  attempts.incrementAndGet();
                  throw new NonRetryableException("no such customer");
                })
            .start()) {
      engine.enqueue("refused", "a");
      await("it is dead", () -> engine.deadJobs(JobQuery.newest(1)).size() == 1);
      assertThat(engine.deadJobs(JobQuery.newest(1)).getFirst().error())
          .contains("no such customer");
      assertThat(attempts).hasValue(1);
    }
  }

  @Test
  void aSecondJobWithAnOpenUniqueKeyIsIgnored() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    EnqueueOptions unique = EnqueueOptions.NONE.unique("customer \"7\"");
    try (Durable engine =
        Durable.on(url)
            .job(
                "once",
                String.class,
                TWICE,
                (context, input) -> {
                  ran.add(input);
                  assertThat(go.await(20, TimeUnit.SECONDS)).isTrue();
                  assertThat(input).isNotEqualTo("fails");
                })
            .start()) {
      assertThat(engine.enqueue("once", "first", unique)).isPresent();
      assertThat(engine.enqueue("once", "second", unique)).isEmpty();
      assertThat(next()).isEqualTo("first");
      assertThat(engine.enqueue("once", "while it runs", unique)).isEmpty();
      assertThat(engine.enqueue("other", "another name", unique)).isPresent();
      assertThat(engine.enqueue("once", "another key", EnqueueOptions.NONE.unique("8")))
          .isPresent();
      assertThat(next()).isEqualTo("another key");
      go.countDown();
      await("only the other name is left", () -> open() == 1);
      String id = engine.enqueue("once", "fails", unique).orElseThrow();
      await("it is dead", () -> engine.deadJobs(JobQuery.newest(1)).size() == 1);
      ran.clear();
      String later = engine.enqueue("once", "later", unique.in(Duration.ofHours(1))).orElseThrow();
      assertThat(engine.requeue(id)).as("its key is taken").isFalse();
      assertThat(engine.deadJobs(JobQuery.newest(1))).hasSize(1);
      assertThat(engine.cancelJob(later)).isTrue();
      assertThat(engine.requeue(id)).isTrue();
      assertThat(next()).isEqualTo("fails");
    }
  }

  @Test
  void oneOfManyCallersEnqueuesAUniqueJob() throws Exception {
    AtomicInteger enqueued = new AtomicInteger();
    try (Durable one = Durable.on(url).connect();
        Durable other = Durable.on(url).connect()) {
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < 32; i++) {
        Durable client = i % 2 == 0 ? one : other;
        int from = i;
        callers.add(
            Thread.startVirtualThread(
                () -> {
                  for (int k = 0; k < 20; k++) {
                    // Each caller in another order.
                    String key = "key " + (k * (2 * from + 1) + from) % 20;
                    client
                        .enqueue("once", "x", EnqueueOptions.NONE.unique(key))
                        .ifPresent(_ -> enqueued.incrementAndGet());
                  }
                }));
      }
      for (Thread caller : callers) {
        caller.join();
      }
      assertThat(open()).isEqualTo(20);
      assertThat(enqueued).hasValue(20);
    }
  }

  @Test
  void jobsOfHigherPriorityRunFirstAndWaitingCounts() throws Exception {
    try (Durable client = Durable.on(url).connect()) {
      String old = client.enqueue("note", "0 of an hour ago");
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        int _ =
            statement.executeUpdate(
                """
                update durable.worker_queue set visible_at = now() - interval '61 minutes'
                where instance_id = '%s'
                """
                    .formatted(old));
      }
      for (int priority : List.of(0, 1, 9, 4, 0)) {
        assertThat(
                client.enqueue("note", "level " + priority, EnqueueOptions.NONE.priority(priority)))
            .isPresent();
      }
      try (Durable _ =
          Durable.on(url)
              .job(
                  "note",
                  String.class,
                  JobOptions.STANDARD.workers(1),
                  (context, input) -> ran.add(input))
              .start()) {
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          order.add(next());
        }
        assertThat(order)
            .containsExactly(
                "level 9", "level 4", "0 of an hour ago", "level 1", "level 0", "level 0");
      }
    }
  }

  /** A claim has read past the place of an important job, on this node and on another. */
  @Tag("nightly")
  @Test
  void anImportantJobIsFoundBelowWhatWasClaimedBefore() throws Exception {
    try (Durable engine = noting().start();
        Durable client = Durable.on(url).connect()) {
      for (int i = 0; i < 20; i++) {
        for (Durable from : List.of(engine, client)) {
          String _ = from.enqueue("note", "ordinary");
          assertThat(next()).isEqualTo("ordinary");
          assertThat(
                  from.enqueue(
                      "note", "important", EnqueueOptions.NONE.priority(9).unique("i" + i)))
              .isPresent();
          assertThat(next()).isEqualTo("important");
          await("it is gone", () -> open() == 0);
        }
      }
    }
  }

  @Test
  void aJobRunsAtItsInstant() throws Exception {
    try (Durable engine = noting().start()) {
      Instant at = Instant.now().plusMillis(600);
      String id = engine.enqueue("note", "later", EnqueueOptions.NONE.at(at)).orElseThrow();
      assertThat(engine.job(id).map(JobInfo::state)).contains(JobState.SCHEDULED);
      assertThat(engine.jobs(JobQuery.newest(5).in(JobState.SCHEDULED))).hasSize(1);
      String _ = engine.enqueue("note", "now");
      assertThat(next()).isEqualTo("now");
      assertThat(next()).isEqualTo("later");
      assertThat(Instant.now()).isBetween(at.minusMillis(2), at.plusSeconds(5));
    }
  }

  @Test
  void aWaitingJobIsCancelled() throws Exception {
    try (Durable client = Durable.on(url).connect()) {
      String id = client.enqueue("note", "x");
      assertThat(client.cancelJob(id)).isTrue();
      assertThat(client.cancelJob(id)).isFalse();
      assertThat(client.job(id)).isEmpty();
      String _ = client.enqueue("note", "y");
      try (Durable _ = noting().start()) {
        assertThat(next()).isEqualTo("y");
        assertThat(ran).isEmpty();
      }
    }
  }

  @Test
  void aRunningJobThatIsCancelledIsInterruptedAndEnds() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (Durable engine =
        Durable.on(url)
            .size(
                new DispatcherPool.DispatcherCounts(
                    4, 4, 100, Duration.ofSeconds(3), Duration.ofMillis(900)))
            .job(
                "hang",
                String.class,
                (context, input) -> {
                  ran.add("begun");
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    ran.add("interrupted");
                    throw e;
                  }
                })
            .start()) {
      String id = engine.enqueue("hang", "x");
      assertThat(next()).isEqualTo("begun");
      assertThat(engine.job(id).map(JobInfo::state)).contains(JobState.RUNNING);
      assertThat(engine.cancelJob(id)).isTrue();
      assertThat(next()).isEqualTo("interrupted");
      assertThat(open()).isZero();
      assertThat(engine.deadJobs(JobQuery.newest(1))).isEmpty();
    }
  }

  @Test
  void anAttemptThatTakesTooLongFails() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (Durable engine =
        Durable.on(url)
            .job(
                "slow",
                String.class,
                JobOptions.retried(RetryPolicy.NONE).within(Duration.ofMillis(50)),
                (context, input) -> never.await())
            .start()) {
      String _ = engine.enqueue("slow", "x");
      await("it is dead", () -> engine.deadJobs(JobQuery.newest(1)).size() == 1);
      assertThat(engine.deadJobs(JobQuery.newest(1)).getFirst().error())
          .isEqualTo("took longer than 50 ms");
    }
  }

  @Test
  void noMoreJobsOfAKeyRunThanItsLimitAllows() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Job<String> job =
        (context, input) -> {
          int now = running.incrementAndGet();
          int _ = most.accumulateAndGet(now, Math::max);
          LockSupport.parkNanos(3_000_000);
          int _ = running.decrementAndGet();
          ran.add(input);
        };
    try (Durable one = Durable.on(url).job("a", String.class, job).start();
        Durable other =
            Durable.on(url).job("a", String.class, job).job("b", String.class, job).start()) {
      EnqueueOptions limited = EnqueueOptions.NONE.atMost(2, "device");
      for (int i = 0; i < 20; i++) {
        assertThat(one.enqueue("a", "a" + i, limited)).isPresent();
        assertThat(other.enqueue("b", "b" + i, limited.unique("u" + i))).isPresent();
      }
      for (int i = 0; i < 40; i++) {
        assertThat(next()).isNotEqualTo("nothing");
      }
      await("all are done", () -> open() == 0);
      assertThat(most).hasValue(2);
    }
  }

  @Test
  void jobsAreFoundByNameTagsAndState() throws Exception {
    try (Durable client = Durable.on(url).connect()) {
      List<String> odd = List.of("back\\slash", "quote\"", "{brace,}", "ü", "null");
      String first = client.enqueue("a", "1", EnqueueOptions.NONE.tagged("x", "y")).orElseThrow();
      String second = client.enqueue("a", "2", EnqueueOptions.NONE.tagged("x")).orElseThrow();
      String third =
          client
              .enqueue("b", "3", EnqueueOptions.NONE.tagged(odd.toArray(String[]::new)).unique("u"))
              .orElseThrow();
      String fourth = client.enqueue("b", "4");
      assertThat(client.jobs(JobQuery.newest(10)))
          .extracting(JobInfo::id)
          .containsExactly(fourth, third, second, first);
      assertThat(client.jobs(JobQuery.newest(2)))
          .extracting(JobInfo::id)
          .containsExactly(fourth, third);
      assertThat(client.jobs(JobQuery.newest(10).named("a").tagged("x")))
          .extracting(JobInfo::id)
          .containsExactly(second, first);
      assertThat(client.jobs(JobQuery.newest(10).tagged("x").tagged("y")))
          .extracting(JobInfo::id)
          .containsExactly(first);
      assertThat(client.jobs(JobQuery.newest(10).tagged("quote\"")))
          .singleElement()
          .satisfies(
              job -> {
                assertThat(job.tags()).isEqualTo(odd);
                assertThat(job.name()).isEqualTo("b");
                assertThat(job.input().asString()).isEqualTo("3");
                assertThat(job.state()).isEqualTo(JobState.WAITING);
                assertThat(job.attempts()).isZero();
              });
      assertThat(client.jobs(JobQuery.newest(10).in(JobState.RUNNING))).isEmpty();
      assertThat(open()).isEqualTo(4);
    }
  }

  @Test
  void aJobIsEnqueuedIfTheTransactionOfTheApplicationCommits() throws Exception {
    try (Durable engine = noting().start();
        Connection connection = connect();
        Statement statement = connection.createStatement()) {
      boolean _ = statement.execute("set search_path to pg_catalog");
      boolean _ = statement.execute("create table public.orders (id integer)");
      connection.setAutoCommit(false);
      String _ = engine.enqueue(connection, "note", "rolled back");
      connection.rollback();
      int _ = statement.executeUpdate("insert into public.orders values (1)");
      String id = engine.enqueue(connection, "note", "committed");
      EnqueueOptions unique = EnqueueOptions.NONE.unique("k").tagged("t").priority(3);
      assertThat(engine.enqueue(connection, "note", "unique", unique)).isPresent();
      assertThat(engine.enqueue(connection, "note", "twice", unique)).isEmpty();
      assertThat(
              engine.enqueue(connection, "note", "limited", EnqueueOptions.NONE.atMost(1, "key")))
          .isPresent();
      assertThat(engine.job(id)).isEmpty();
      assertThat(ran.poll(SOON.toMillis(), TimeUnit.MILLISECONDS)).isNull();
      assertThat(connection.getAutoCommit()).isFalse();
      connection.commit();
      assertThat(List.of(next(), next(), next()))
          .containsExactlyInAnyOrder("committed", "unique", "limited");
      try (ResultSet rows = statement.executeQuery("show search_path")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1)).isEqualTo("pg_catalog");
      }
      await("all are done", () -> open() == 0);
      assertThat(ran).isEmpty();
    }
  }

  @Test
  void aNodeLeavesJobsThatItDoesNotKnowToOthers() throws Exception {
    try (Durable stranger =
        Durable.on(url)
            .job("other", String.class, (context, input) -> ran.add("other " + input))
            .activity("note", String.class, (context, input) -> ran.add("activity"))
            .start()) {
      String id = stranger.enqueue("note", "x");
      String _ = stranger.enqueue("other", "y");
      assertThat(next()).isEqualTo("other y");
      assertThat(stranger.job(id))
          .get()
          .satisfies(
              job -> {
                assertThat(job.state()).isEqualTo(JobState.WAITING);
                assertThat(job.attempts()).isZero();
              });
      try (Durable _ = noting().start()) {
        assertThat(next()).isEqualTo("x");
      }
    }
  }

  @Test
  void openJobsAreThoseThatWaitRunOrAreScheduled() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (Durable engine =
        Durable.on(url)
            .job(
                "run",
                String.class,
                (context, input) -> {
                  ran.add(input);
                  assertThat(go.await(20, TimeUnit.SECONDS)).isTrue();
                })
            .activity(
                "act",
                String.class,
                (context, input) -> {
                  ran.add(input);
                  return go.await(20, TimeUnit.SECONDS);
                })
            .workflow(
                "flow",
                String.class,
                (context, input) -> context.activity("act", input, Boolean.class))
            .start()) {
      engine.start("flow", "f", "activity");
      assertThat(next()).isEqualTo("activity");
      assertThat(open()).isZero();
      String _ = engine.enqueue("run", "job");
      assertThat(next()).isEqualTo("job");
      String _ = engine.enqueue("unknown", "x");
      assertThat(engine.enqueue("run", "x", EnqueueOptions.NONE.in(Duration.ofDays(1))))
          .isPresent();
      assertThat(open()).isEqualTo(3);
      go.countDown();
      await("one is done", () -> open() == 2);
    }
  }

  @Test
  void jobsRunOnPlatformThreadsIfTheyAskForIt() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .job(
                "compute",
                String.class,
                JobOptions.STANDARD.onPlatformThreads().workers(2),
                (context, input) -> ran.add("virtual: " + Thread.currentThread().isVirtual()))
            .job(
                "wait",
                String.class,
                (context, input) -> ran.add("virtual: " + Thread.currentThread().isVirtual()))
            .start()) {
      String _ = engine.enqueue("compute", "x");
      assertThat(next()).isEqualTo("virtual: false");
      String _ = engine.enqueue("wait", "x");
      assertThat(next()).isEqualTo("virtual: true");
    }
  }
}

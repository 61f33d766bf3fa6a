package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What runs for longer than a closing engine waits has not failed: it runs again, uncounted. */
@Tag("nightly")
class ClosedEngineTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final String url = LocalStores.forTests().freshDatabase();
  private final CountDownLatch begun = new CountDownLatch(1);

  @Test
  void anActivityThatTheCloseInterruptsRunsAgainOnAnotherNode() throws Exception {
    try (Durable closed =
        running(
            (context, input) -> {
              hang();
              return "never";
            })) {
      closed.start("run", "r", "");
      assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
    try (Durable next = running((context, input) -> "attempt " + context.attempt())) {
      assertThat(next.await("r", String.class, LONG)).isEqualTo("attempt 1");
    }
  }

  /** It wraps what interrupts it, so that only the engine can know why it failed. */
  @Test
  void aJobThatTheCloseInterruptsIsNotDead() throws Exception {
    try (Durable closed =
        working(
            (context, input) -> {
              try {
                hang();
              } catch (InterruptedException e) {
                throw new IllegalStateException("the export failed", e);
              }
            })) {
      String _ = closed.enqueue("export", "x");
      assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
    LinkedBlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();
    try (Durable next = working((context, input) -> attempts.add(context.attempt()))) {
      assertThat(attempts.poll(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(next.deadJobs(JobQuery.newest(10))).isEmpty();
    }
  }

  @Test
  void aTurnThatTheCloseInterruptsHasHadNoAttempt() throws Exception {
    try (Durable closed =
        Durable.on(url)
            .workflow(
                "film",
                String.class,
                (context, input) ->
                    context.step(
                        "slow",
                        String.class,
                        () -> {
                          hang();
                          return "never";
                        }))
            .start()) {
      closed.start("film", "f", "");
      assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
    try (Database database = Database.open(DatabaseUrl.parse(url), 1, "test", List.of("durable"))) {
      assertThat(
              database.<Integer>read(
                  tx ->
                      tx.sql("select max(attempt_count) as n from orchestrator_queue")
                          .one(row -> row.intAt("n"))))
          .isZero();
    }
  }

  /** A container is killed some seconds after it was told to end. */
  @Test
  void jobsOfAllNamesHaveTheSameTenSeconds() throws Exception {
    CountDownLatch bothBegun = new CountDownLatch(2);
    Job<String> hanging =
        (context, input) -> {
          bothBegun.countDown();
          hang();
        };
    JobOptions once = JobOptions.retried(RetryPolicy.NONE);
    long before;
    try (Durable closed =
        Durable.on(url)
            .job("export", String.class, once, hanging)
            .job("import", String.class, once, hanging)
            .start()) {
      String _ = closed.enqueue("export", "x");
      String _ = closed.enqueue("import", "x");
      assertThat(bothBegun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      before = System.nanoTime();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(17));
  }

  private void hang() throws InterruptedException {
    begun.countDown();
    new CountDownLatch(1).await();
  }

  private Durable running(Activity<String, String> slow) {
    return Durable.on(url)
        .activity("slow", String.class, slow)
        .workflow(
            "run",
            String.class,
            (context, input) -> context.activity("slow", input, String.class, ActivityOptions.ONCE))
        .start();
  }

  private Durable working(Job<String> export) {
    return Durable.on(url)
        .job("export", String.class, JobOptions.retried(RetryPolicy.NONE), export)
        .start();
  }
}

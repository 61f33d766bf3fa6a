package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.EnqueueOptions;
import io.convoke.engine.durable.JobOptions;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.ProviderAdmin;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An engine with a retention deletes what has ended, and only that. */
class RetentionTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();

  private Durable.Builder engine() {
    return Durable.over(PostgresProvider.open(url, "durable", ON), ON)
        .workflow("quick", Integer.class, (context, n) -> n)
        .workflow(
            "waits", String.class, (context, input) -> context.event("go", String.class).get())
        .workflow(
            "rounds",
            Integer.class,
            (context, n) -> {
              if (n < 3) {
                throw context.continueAsNew(n + 1);
              }
              return context.event("go", Integer.class).get();
            });
  }

  @Tag("nightly")
  @Test
  void whatEndedIsDeletedAndWhatRunsIsKept() throws Exception {
    try (Durable one = engine().keepEndedFor(Duration.ofMillis(500)).start();
        Durable _ = engine().keepEndedFor(Duration.ofMillis(500)).start()) {
      one.start("waits", "running", "");
      one.start("rounds", "rounds", 0);
      for (int i = 0; i < 450; i++) {
        one.start("quick", "q-" + i, i);
      }
      await("only what runs is left", () -> rows("instances") == 2);
      await("only current executions are left", () -> rows("executions") == 2);
      assertThat(rows("history")).isEqualTo(2);
      one.raise("running", "go", "on");
      one.raise("rounds", "go", 7);
      await("those are deleted too", () -> rows("instances") == 0);
    }
  }

  @Test
  void deadJobsAreDeletedAndOpenOnesAreKept() throws Exception {
    try (Durable one =
        engine()
            .job(
                "broken",
                String.class,
                JobOptions.retried(RetryPolicy.attempts(1, Duration.ofMillis(1))),
                (context, input) -> {
                  throw new IllegalStateException(input);
                })
            .keepEndedFor(Duration.ofMillis(500))
            .start()) {
      one.enqueue("broken", "no");
      one.enqueue("broken", "later", EnqueueOptions.NONE.in(Duration.ofHours(1)));
      await("the job is dead", () -> rows("worker_queue") == 1);
      await("it is deleted", () -> rows("dead_jobs") == 0);
      assertThat(rows("worker_queue")).isEqualTo(1);
    }
  }

  @Test
  void withoutARetentionEverythingIsKept() throws Exception {
    try (Durable one = engine().start()) {
      one.start("quick", "q", 1);
      assertThat(one.await("q", Integer.class, LONG)).isEqualTo(1);
      ProviderAdmin admin = one.provider().admin();
      assertThat(admin.pruneEnded(Duration.ofHours(1), 10)).isZero();
      assertThat(one.instance("q")).isPresent();
    }
  }

  @Test
  void oneNodeAtATimeDeletes() throws Exception {
    try (Durable one = engine().start()) {
      one.start("quick", "q", 1);
      assertThat(one.await("q", Integer.class, LONG)).isEqualTo(1);
      ProviderAdmin admin = one.provider().admin();
      foreign.run(
          tx -> {
            boolean _ =
                tx.sql(
                        """
                        select pg_advisory_xact_lock(
                          hashtextextended('convoke.durable.prune/' || current_schema(), 0))
                            is null as locked
                        """)
                    .one(row -> row.booleanAt("locked"));
            assertThat(admin.pruneEnded(Duration.ofNanos(1), 10)).isZero();
          });
      assertThat(admin.pruneEnded(Duration.ofNanos(1), 10)).isEqualTo(1);
      assertThat(one.instance("q")).isEmpty();
    }
  }

  private int rows(String table) {
    return foreign.read(
        tx -> tx.sql("select count(*)::int as n from " + table).one(row -> row.intAt("n")));
  }
}

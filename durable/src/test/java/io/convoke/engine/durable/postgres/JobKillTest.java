package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.JobInfo;
import io.convoke.engine.durable.JobInfo.JobState;
import io.convoke.engine.durable.JobQuery;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.durable.provider.WorkItem;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs of nodes that end without notice, and tables of an older release. */
class JobKillTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();

  private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();

  /** Its lock would last 30 s. */
  @Tag("nightly")
  @Test
  void aJobOfADeadNodeRunsOnAnother() throws Exception {
    PostgresProvider dying = provider(ON);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Durable second =
            Durable.over(provider(ON), ON)
                .job("other", String.class, (context, input) -> begun.add("other"))
                .start();
        Durable client = Durable.over(provider(ON), ON).connect()) {
      Future<Optional<WorkItem>> running =
          threads.submit(() -> dying.fetchWorkItem(NewJob.pool("work"), LOCK, LONG));
      String id = client.enqueue("work", "x");
      assertThat(running.get().map(WorkItem::instanceId)).contains(id);
      assertThat(client.job(id).map(JobInfo::state)).contains(JobState.RUNNING);
      long died = System.nanoTime();
      dying.vanish();
      try (Durable third =
          Durable.over(provider(ON), ON)
              .job(
                  "work",
                  String.class,
                  (context, input) -> begun.add(context.id() + context.attempt()))
              .start()) {
        assertThat(begun.poll(20, TimeUnit.SECONDS)).isEqualTo(id + 2);
        assertThat(Duration.ofNanos(System.nanoTime() - died)).isLessThan(Duration.ofSeconds(25));
        await("it is done", () -> third.job(id).isEmpty());
      }
      assertThat(second.jobs(JobQuery.newest(1))).isEmpty();
    }
  }

  @Test
  void tablesOfAnOlderReleaseAreCompletedAndItsStatementsStillWork() throws Exception {
    execute(
        """
        drop view open_jobs; drop table dead_jobs; drop index worker_queue_unique;
        drop index worker_queue_tags; alter table worker_queue drop column unique_key;
        alter table worker_queue drop column tags; update schema_version set version = 2
        """);
    try (Durable engine =
        Durable.over(provider(ON), ON)
            .job("work", String.class, (context, input) -> begun.add(input))
            .start()) {
      String _ = engine.enqueue("work", "x");
      assertThat(begun.poll(20, TimeUnit.SECONDS)).isEqualTo("x");
      // Not due yet: the engine takes what is due, and drops what is none of its items.
      insertWork("now() + interval '1 hour'");
      assertThat(number("select count(*) as n from worker_queue where pool = ''")).isOne();
    }
    assertThat(number("select version as n from schema_version")).isEqualTo(5);
    assertThat(number("select compatible_from as n from schema_version")).isEqualTo(1);
  }
}

package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.EnqueueOptions;
import io.convoke.engine.durable.JobQuery;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.JobRepository;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.ProviderConformance;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.StartMessage;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The conformance suite, with long polling enabled, disabled, and without a LISTEN connection. */
class PostgresProviderTest {
  static final DatabaseUrl NOWHERE = new DatabaseUrl("jdbc:postgresql://127.0.0.1:1/none", "", "");
  static final LongPollConfig DEGRADED =
      new LongPollConfig(
          true,
          Duration.ofSeconds(60),
          LongPollConfig.defaults().timerGrace(),
          Duration.ofMillis(10));

  private static final LongPollConfig CONFIG = LongPollConfig.defaults();

  @Nested
  class LongPolling extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(fresh(), "durable", CONFIG.on());
    }
  }

  @Nested
  @Tag("nightly")
  class Disabled extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(fresh(), "durable", CONFIG);
    }
  }

  @Nested
  @Tag("nightly")
  class Degraded extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(fresh(), NOWHERE, "durable", DEGRADED);
    }
  }

  /** The three modes differ: notified, polling by configuration, polling without LISTEN. */
  @Test
  void theThreeWaysAreWhatTheySay() {
    try (PostgresProvider on = PostgresProvider.open(fresh(), "durable", CONFIG.on());
        PostgresProvider off = PostgresProvider.open(fresh(), "durable", CONFIG);
        PostgresProvider degraded = PostgresProvider.open(fresh(), NOWHERE, "durable", DEGRADED)) {
      NodeTestKit.await("it is told", on::announced);
      assertThat(on.connects()).isOne();
      assertThat(off.announced()).isFalse();
      assertThat(off.connects()).isZero();
      assertThat(degraded.announced()).isFalse();
      assertThat(degraded.connects()).isZero();
    }
  }

  /** As {@link Provider} says; here the tables are gone. */
  @Tag("nightly")
  @Test
  void eachOperationFailsWithAProviderFailure() {
    DatabaseUrl url = fresh();
    try (PostgresProvider provider = PostgresProvider.open(url, "durable", CONFIG);
        Database database = Database.open(url, 1, "drop", List.of("public"))) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        drop table durable.instances, durable.executions, durable.history,
                          durable.orchestrator_queue, durable.worker_queue, durable.dead_jobs
                          cascade
                        """)
                    .update();
          });
      ProviderAdmin admin = provider.admin();
      JobRepository jobs = provider.jobs();
      NewJob job = new NewJob("id", "job", "{}", EnqueueOptions.NONE);
      List<ThrowingCallable> calls =
          List.of(
              () -> provider.enqueueForOrchestrator(new InstanceMessage("id", "{}")),
              () -> provider.read("id"),
              () -> admin.instance("id"),
              () -> admin.isAwaited("id"),
              () -> admin.instances(Optional.empty(), Optional.empty(), Optional.empty(), 1),
              () -> admin.ended(Set.of("id")),
              () -> admin.executions("id"),
              () -> admin.history("id", 1),
              () -> admin.children("id"),
              admin::metrics,
              () -> admin.restart("id", 1, new StartMessage("", "")),
              () -> admin.delete("id", true),
              () -> admin.pruneExecutions(Duration.ZERO, 1),
              () -> admin.pruneInstances(Duration.ZERO, 1),
              () -> admin.pruneEnded(Duration.ZERO, 1),
              () -> admin.delete("id"),
              () -> jobs.enqueue(job),
              () -> jobs.enqueueAll(List.of(job)),
              () -> jobs.cancel("id"),
              () -> jobs.job("id"),
              () -> jobs.jobs(JobQuery.newest(1)),
              () -> jobs.dead(JobQuery.newest(1)),
              () -> jobs.requeue("id"),
              () -> jobs.deleteDead("id"));
      for (int i = 0; i < calls.size(); i++) {
        assertThatThrownBy(calls.get(i)).as("call %d", i).isInstanceOf(ProviderFailure.class);
      }
    }
  }

  private static DatabaseUrl fresh() {
    return DatabaseUrl.parse(LocalStores.forTests().freshDatabase(Template.NAME));
  }

  /** A database with the schema: each test gets a copy, which is faster than installing it. */
  private static final class Template {
    private static final String NAME = installed();

    private static String installed() {
      String url = LocalStores.forTests().freshDatabase();
      PostgresProvider.open(DatabaseUrl.parse(url), "durable", CONFIG).close();
      return URI.create(url).getPath().substring(1);
    }
  }
}

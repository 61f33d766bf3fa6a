package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderConformance;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.stores.PgBouncer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The engine behind a PgBouncer that gives each transaction another session: the conformance suite,
 * locks, timers, several nodes, jobs and workflows. Only LISTEN and NOTIFY go past it.
 */
@Tag("nightly")
@Tag("alone")
class BehindPgBouncerTest {
  @BeforeAll
  static void isInstalled() {
    assumeThat(Started.PG_BOUNCER).as("Debian's pgbouncer").isPresent();
  }

  @Test
  void jobsAndWorkflowsRun() throws Exception {
    String direct = LocalStores.forTests().freshDatabase();
    var done = new ConcurrentLinkedQueue<Integer>();
    CountDownLatch all = new CountDownLatch(500);
    try (Durable engine =
        Durable.on(pooled(direct), direct)
            .job(
                "count",
                Integer.class,
                (context, number) -> {
                  boolean _ = done.add(number);
                  all.countDown();
                })
            .activity("double", Integer.class, (context, number) -> 2 * number)
            .workflow(
                "twice",
                Integer.class,
                (context, number) ->
                    context.activity(
                        "double", context.activity("double", number, Integer.class), Integer.class))
            .start()) {
      for (int number : IntStream.range(0, 500).toArray()) {
        String _ = engine.enqueue("count", number);
      }
      for (int number : IntStream.range(0, 50).toArray()) {
        engine.start("twice", "twice-" + number, number);
      }
      for (int number : IntStream.range(0, 50).toArray()) {
        assertThat(engine.await("twice-" + number, Integer.class, Duration.ofSeconds(20)))
            .isEqualTo(4 * number);
      }
      assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(done).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 500).boxed().toList());
  }

  @Test
  void nothingIsLeftInASession() {
    String direct = LocalStores.forTests().freshDatabase();
    String settings =
        "select current_setting('search_path') as path,"
            + " current_setting('enable_seqscan') as scans,"
            + " (select count(*) from pg_prepared_statements)::int as prepared";
    try (PostgresProvider engine =
            PostgresProvider.open(
                DatabaseUrl.parse(pooled(direct)),
                DatabaseUrl.parse(direct),
                "durable",
                LongPollConfig.defaults().on());
        Database others =
            Database.openPooled(
                DatabaseUrl.parse(pooled(direct)), 1, "others", Map.of("a.b", "c"))) {
      assertThat(engine.announced()).isTrue();
      for (int session = 0; session < 12; session++) {
        String left =
            others.read(
                tx ->
                    tx.sql(settings)
                        .one(
                            row ->
                                row.text("path")
                                    + " "
                                    + row.text("scans")
                                    + " "
                                    + row.intAt("prepared")));
        assertThat(left).isEqualTo("\"$user\", public on 0");
      }
    }
  }

  @Test
  void withoutADirectUrlAnEngineDoesNotOpen() {
    String direct = LocalStores.forTests().freshDatabase();
    Durable.Builder builder = Durable.on(pooled(direct));
    assertThatThrownBy(builder::start)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("past the pooler");
  }

  @Nested
  @Tag("nightly")
  class Conformance extends ProviderConformance {
    @Override
    protected Provider open() {
      String direct = LocalStores.forTests().freshDatabase();
      return PostgresProvider.open(
          DatabaseUrl.parse(pooled(direct)),
          DatabaseUrl.parse(direct),
          "durable",
          LongPollConfig.defaults().on());
    }
  }

  @Nested
  @Tag("nightly")
  class Plan extends SeedPlanTest {
    @Override
    DatabaseUrl through(DatabaseUrl direct) {
      return pooled(direct);
    }

    @Override
    String endOfScan() {
      return "COMMIT";
    }
  }

  @Nested
  @Tag("nightly")
  class Timers extends TimerFlawsTest {
    @Override
    DatabaseUrl through(DatabaseUrl direct) {
      return pooled(direct);
    }

    @Override
    String endOfScan() {
      return "COMMIT";
    }
  }

  @Nested
  @Tag("nightly")
  class Locks extends LockFlawsTest {
    @Override
    DatabaseUrl through(DatabaseUrl direct) {
      return pooled(direct);
    }
  }

  @Nested
  @Tag("nightly")
  class Nodes extends MultiNodeTest {
    @Override
    DatabaseUrl through(DatabaseUrl direct) {
      return pooled(direct);
    }
  }

  private static String pooled(String direct) {
    return Started.PG_BOUNCER.orElseThrow().url(direct);
  }

  private static DatabaseUrl pooled(DatabaseUrl direct) {
    return DatabaseUrl.parse(
        pooled(
            direct
                .jdbc()
                .replace(
                    "jdbc:postgresql://",
                    "postgresql://" + direct.user() + ":" + direct.password() + "@")));
  }

  private static final class Started {
    static final Optional<PgBouncer> PG_BOUNCER = LocalStores.forTests().ownPgBouncer();
  }
}

package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.ProviderAdmin.ExecutionInfo;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Starts of workflows: in a transaction of the caller, and again after a failure. */
class StartingTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Shorter than the interval of a node's scans, which find what was not announced. */
  private static final Duration AT_ONCE = Duration.ofSeconds(10);

  private final String url = LocalStores.forTests().freshDatabase();
  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicBoolean broken = new AtomicBoolean(true);
  private final Durable engine =
      Durable.on(url)
          .activity(
              "mend",
              String.class,
              (context, what) -> {
                int _ = runs.incrementAndGet();
                if (broken.get()) {
                  throw new IllegalStateException("still broken");
                }
                return "mended " + what;
              })
          .workflow("when", String.class, (context, input) -> context.now().toString())
          .workflow(
              "mending",
              String.class,
              (context, what) -> context.activity("mend", what, String.class))
          .start();

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void aWorkflowThatIsStartedInATransactionStartsIfThatCommits() throws Exception {
    try (Database database =
        Database.open(DatabaseUrl.parse(url), 2, "test", List.of("durable", "public"))) {
      assertThatThrownBy(
              () ->
                  database.run(
                      tx -> {
                        int _ = Durable.starting(tx, "when", "never", "x").update();
                        throw new IllegalStateException("rolled back");
                      }))
          .isInstanceOf(IllegalStateException.class);
      Instant before = database.read(tx -> tx.sql("select now() as n").one(r -> r.instant("n")));
      database.run(tx -> tx.run(List.of(Durable.starting(tx, "when", "committed", "x"))));
      assertThat(Instant.parse(engine.await("committed", String.class, LONG)))
          .isBetween(before.minusMillis(1), before.plusSeconds(20));
      assertThat(engine.instance("never")).isEmpty();
      database.run(tx -> tx.run(List.of(Durable.starting(tx, "when", "committed", "y"))));
      engine.start("when", "after", "x");
      String _ = engine.await("after", String.class, LONG);
      assertThat(engine.provider().admin().executions("committed")).hasSize(1);
    }
  }

  @Test
  void aFailedWorkflowThatIsTriedAgainBeginsAnewAndKeepsWhatWas() throws Exception {
    engine.start("mending", "m", "pipe");
    assertThatThrownBy(() -> engine.await("m", String.class, LONG))
        .isInstanceOf(WorkflowFailedException.class);
    broken.set(false);

    assertThat(engine.retry("m")).isTrue();
    assertThat(engine.retry("m")).as("it has begun again").isFalse();
    assertThat(engine.await("m", String.class, LONG)).isEqualTo("mended pipe");
    assertThat(engine.provider().admin().executions("m"))
        .extracting(ExecutionInfo::status)
        .containsExactly(ExecutionStatus.FAILED, ExecutionStatus.COMPLETED);
    assertThat(engine.provider().admin().history("m", 1)).isNotEmpty();
    assertThat(runs).hasValue(2);
    assertThat(engine.retry("m")).as("it has not failed").isFalse();
    assertThat(engine.retry("nobody")).isFalse();
  }

  /** Postgres stores it in a text, escaped as in JSON, and not in a jsonb. */
  @Test
  void anInputMayHoldNulInWhateverWayItsWorkflowStarts() throws Exception {
    String input = "a\0b";
    engine.start("mending", "again", input);
    assertThatThrownBy(() -> engine.await("again", String.class, LONG))
        .isInstanceOf(WorkflowFailedException.class);
    broken.set(false);
    assertThat(engine.retry("again")).isTrue();
    try (Database database =
        Database.open(DatabaseUrl.parse(url), 2, "test", List.of("durable", "public"))) {
      database.run(tx -> tx.run(List.of(Durable.starting(tx, "mending", "stated", input))));
      try (Connection connection = database.dataSource().getConnection()) {
        engine.start(connection, "mending", "inserted", input);
      }
    }
    for (String id : List.of("again", "stated", "inserted")) {
      assertThat(engine.await(id, String.class, LONG)).as(id).isEqualTo("mended " + input);
    }
  }

  @Test
  void aWorkflowThatIsTriedAgainBeginsAtOnceOnTheNodeThatAsked() throws Exception {
    for (int i = 0; i < 5; i++) {
      String id = "m" + i;
      broken.set(true);
      engine.start("mending", id, "pipe");
      assertThatThrownBy(() -> engine.await(id, String.class, LONG))
          .isInstanceOf(WorkflowFailedException.class);
      broken.set(false);
      // Not handed to a dispatcher of this node, so its session notifies the other nodes.
      engine
          .provider()
          .enqueueForOrchestrator(
              new InstanceMessage(
                  "later" + i, "m", Optional.of(Instant.now().plus(Duration.ofHours(1)))));
      assertThat(engine.retry(id)).isTrue();
      assertThat(engine.await(id, String.class, AT_ONCE)).isEqualTo("mended pipe");
    }
  }

  @Test
  void anEngineThatOnlyConnectsLeavesTheWorkToOthers() throws Exception {
    broken.set(false);
    LongPollConfig silent = LongPollConfig.defaults();
    try (Durable desk =
        Durable.over(PostgresProvider.open(DatabaseUrl.parse(url), "durable", silent), silent)
            .connect()) {
      desk.start("mending", "far", "roof");
      assertThat(desk.await("far", String.class, LONG)).isEqualTo("mended roof");
      assertThat(runs).hasValue(1);
    }
  }
}

package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A start on tables that are in use. */
@Tag("nightly")
class SchemaStartTest extends NodeTestKit {
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final List<String> TABLES =
      List.of("instances", "executions", "history", "orchestrator_queue", "worker_queue");

  @Test
  void aNodeStartsBesideADumpAndStopsNobody() throws Exception {
    try (Durable first = engine();
        Connection dump = dump()) {
      long begun = System.nanoTime();
      try (Durable second = engine()) {
        first.start("echo", "one", "a");
        second.start("echo", "two", "b");
        assertThat(second.await("one", String.class, SOON)).isEqualTo("a");
        assertThat(first.await("two", String.class, SOON)).isEqualTo("b");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
      dump.rollback();
    }
  }

  /** Tables of a release without a version row are up to date, which takes no lock to detect. */
  @Test
  void tablesWithoutAVersionAreAdoptedBesideADump() throws Exception {
    execute("drop table schema_version");
    try (Connection dump = dump()) {
      PostgresProvider _ = provider(LongPollConfig.defaults().on());
      assertThat(number("select version as n from schema_version")).isPositive();
      dump.rollback();
    }
  }

  /** An upgrade of the tables waits for a dump, and statements do not queue behind it. */
  @Test
  void olderTablesAreAlteredAfterADumpAndNobodyIsStoppedMeanwhile() throws Exception {
    execute("drop table schema_version; drop trigger trg_worker_limited_gone on worker_queue");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection dump = dump()) {
      Future<PostgresProvider> start =
          threads.submit(() -> PostgresProvider.open(url, "durable", LongPollConfig.defaults()));
      await("it waits for a lock", () -> number(WAITING) > 0);
      long begun = System.nanoTime();
      insertWork("now()");
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));
      assertThat(start.isDone()).isFalse();
      dump.rollback();
      keep(start.get());
    }
    assertThat(
            number("select count(*) as n from pg_trigger where tgname = 'trg_worker_limited_gone'"))
        .isOne();
  }

  /** Without an old function of a trigger, and without a lock of a table. */
  @Test
  void functionsOfAnOlderReleaseAreReplacedBesideADump() throws Exception {
    execute(
        """
        create or replace function limited_work() returns trigger language plpgsql as
          'begin return null; end';
        update schema_version set version = 3
        """);
    try (Connection dump = dump()) {
      PostgresProvider _ = provider(LongPollConfig.defaults().on());
      dump.rollback();
    }
    assertThat(
            number(
                "select count(*) as n from pg_proc where proname = 'limited_work'"
                    + " and prosrc like '%admit_work%+%'"))
        .isOne();
  }

  @Test
  void anIndexIsAddedBesideADump() throws Exception {
    execute("drop index instances_parent; update schema_version set version = 4");
    try (Connection dump = dump()) {
      PostgresProvider _ = provider(LongPollConfig.defaults().on());
      dump.rollback();
    }
    assertThat(number("select count(*) as n from pg_class where relname = 'instances_parent'"))
        .isOne();
  }

  /** As the index of many instances does. */
  @Test
  void anUpgradeMayTakeLongerThanAStatementMay() {
    execute("drop index instances_parent; update schema_version set version = 4");
    execute(
        """
        create function slow() returns event_trigger language plpgsql as
          'begin perform pg_sleep(3); end';
        create event trigger slow on ddl_command_start when tag in ('CREATE INDEX')
          execute function slow()
        """);
    String bounded = url.jdbc() + "?options=-c%20statement_timeout%3D2s";
    DatabaseUrl hasty = new DatabaseUrl(bounded, url.user(), url.password());
    try (Database database = Database.open(hasty, 2, "hasty", List.of("durable"))) {
      DurableSchema.install(database, "durable");
    }
    assertThat(number("select count(*) as n from pg_class where relname = 'instances_parent'"))
        .isOne();
  }

  @Test
  void aNewerSchemaIsWorkedOnUnlessItForbidsThat() {
    execute("update schema_version set version = 1000");
    PostgresProvider _ = provider(LongPollConfig.defaults().on());
    assertThat(number("select version as n from schema_version")).isEqualTo(1000);
    execute("update schema_version set compatible_from = 999");
    assertThatThrownBy(() -> provider(LongPollConfig.defaults().on()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("requires a release of version 999");
  }

  @Test
  void manyNodesMakeTheTablesTogether() throws Exception {
    execute("drop schema durable cascade");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<PostgresProvider>> nodes =
          IntStream.range(0, 4)
              .mapToObj(
                  i ->
                      threads.submit(
                          () -> PostgresProvider.open(url, "durable", LongPollConfig.defaults())))
              .toList();
      for (Future<PostgresProvider> node : nodes) {
        keep(node.get());
      }
    }
    assertThat(number("select count(*) as n from schema_version")).isOne();
  }

  private static final String WAITING =
      "select count(*) as n from pg_locks where not granted and mode = 'AccessExclusiveLock'";

  private Durable engine() {
    return Durable.over(
            PostgresProvider.open(url, "durable", LongPollConfig.defaults().on()),
            LongPollConfig.defaults().on())
        .workflow("echo", String.class, (context, text) -> text)
        .start();
  }

  /** A transaction that only reads all tables, and stays open. */
  private Connection dump() throws Exception {
    Connection dump = DriverManager.getConnection(url.jdbc(), url.properties());
    dump.setAutoCommit(false);
    try (Statement statement = dump.createStatement()) {
      for (String table : TABLES) {
        boolean _ = statement.execute("lock table durable." + table + " in access share mode");
      }
    }
    return dump;
  }
}

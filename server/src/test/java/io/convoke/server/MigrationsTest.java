package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the start of a server does to tables that are in use. */
class MigrationsTest {
  private final String databaseUrl = LocalStores.forTests().freshDatabase();
  private final DatabaseUrl url = DatabaseUrl.parse(databaseUrl);

  /** A second server starts while a dump, which only reads, is under way. */
  @Tag("nightly")
  @Test
  void tablesThatAreUpToDateAreNotLocked() throws Exception {
    try (Database database = Database.open(url, 4, "test", Migrations.SCHEMAS);
        ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      assertThat(Migrations.apply(database)).isPositive();
      try (Connection dump = DriverManager.getConnection(url.jdbc(), url.properties())) {
        dump.setAutoCommit(false);
        lockAll(dump);
        Future<Integer> start = thread.submit(() -> Migrations.apply(database));
        assertThat(start.get(10, TimeUnit.SECONDS)).isZero();
        dump.rollback();
      }
    }
  }

  /** A newer release starts while a dump is under way: readers go on, and so does the start. */
  @Test
  void aMigrationWaitsForADumpAndStopsNoReader() throws Exception {
    try (Database database = Database.open(url, 4, "test", Migrations.SCHEMAS);
        ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor();
        Connection dump = DriverManager.getConnection(url.jdbc(), url.properties());
        Connection reader = DriverManager.getConnection(url.jdbc(), url.properties())) {
      int _ =
          Flyway.configure()
              .dataSource(database.dataSource())
              .schemas("convoke", "durable")
              .defaultSchema("convoke")
              .locations("classpath:db/migration")
              .target("21")
              .load()
              .migrate()
              .migrationsExecuted;
      dump.setAutoCommit(false);
      lockAll(dump);
      Future<Integer> start = thread.submit(() -> Migrations.apply(database));
      try (Statement statement = reader.createStatement()) {
        boolean waiting = false;
        while (!waiting) {
          try (ResultSet locks =
              statement.executeQuery("select exists (select from pg_locks where not granted)")) {
            waiting = locks.next() && locks.getBoolean(1);
          }
          assertThat(start.isDone()).isFalse();
          LockSupport.parkNanos(10_000_000);
        }
        statement.setQueryTimeout(5);
        try (ResultSet rows = statement.executeQuery("select count(*) from convoke.tasks")) {
          assertThat(rows.next()).isTrue();
        }
      }
      dump.rollback();
      assertThat(start.get(10, TimeUnit.SECONDS)).isPositive();
    }
  }

  /** As the build of an index of many rows does. */
  @Test
  void aMigrationMayTakeLongerThanAStatementOrAnIdleTransactionMay(@TempDir Path folder)
      throws Exception {
    Path _ = Files.writeString(folder.resolve("V001__slow.sql"), "select pg_sleep(3);");
    String bounds =
        "?options=-c%20statement_timeout%3D2s%20-c%20idle_in_transaction_session_timeout%3D2s";
    try (Database database = Migrations.open(DatabaseUrl.parse(databaseUrl + bounds))) {
      int applied =
          Migrations.flyway(database, "filesystem:" + folder).migrate().migrationsExecuted;
      assertThat(applied).isOne();
    }
  }

  @Test
  void theDriverWaitsForAMigrationWithoutABoundUnlessTheUrlHasOne() throws Exception {
    assertThat(socketTimeout("")).isZero();
    assertThat(socketTimeout("?ApplicationName=upgrade")).isZero();
    assertThat(socketTimeout("?socketTimeout=7")).isEqualTo(7_000);
    try (Database database = Database.open(url, 1, "test", Migrations.SCHEMAS);
        Connection connection = database.dataSource().getConnection()) {
      assertThat(connection.getNetworkTimeout()).as("for requests").isEqualTo(60_000);
    }
  }

  private int socketTimeout(String options) throws SQLException {
    try (Database database = Migrations.open(DatabaseUrl.parse(databaseUrl + options));
        Connection connection = database.dataSource().getConnection()) {
      return connection.getNetworkTimeout();
    }
  }

  @Test
  void whatIsPendingIsAppliedAndCommandsThatReadTheTablesSayWhatTheyNeed() {
    try (Database database = Database.open(url, 4, "test", Migrations.SCHEMAS)) {
      assertThatThrownBy(() -> Migrations.requireTables(database))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("run convoke migrate first");
      int pending = Migrations.pending(database);
      assertThat(Migrations.apply(database)).isEqualTo(pending);
      assertThatCode(() -> Migrations.requireTables(database)).doesNotThrowAnyException();
    }
  }

  /** As after a newer release was rolled back. */
  @Test
  void aReleaseRunsOnTheTablesOfANewerOneUnlessThatSaysOtherwise() {
    try (Database database = Database.open(url, 4, "test", Migrations.SCHEMAS)) {
      assertThat(Migrations.apply(database)).isPositive();
      change(
          database,
          """
          insert into convoke.flyway_schema_history
            (installed_rank, version, description, type, script, checksum, installed_by,
             execution_time, success)
          values (9999, '999', 'of a newer release', 'SQL', 'V999__newer.sql', 1, 'x', 1, true)
          """);
      assertThat(Migrations.apply(database)).isZero();
      assertThat(Migrations.pending(database)).isZero();
      change(database, "update convoke.schema_compatibility set compatible_from = 999");
      assertThatThrownBy(() -> Migrations.apply(database))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("need a release with migration 999");
    }
  }

  @Test
  void aServerThatMayNotMigrateStartsOnCurrentTablesOnly(@TempDir Path folder) {
    ServerConfig serverConfig =
        ServerConfig.of(
            Map.of(
                "CONVOKE_PORT", "0",
                "CONVOKE_DATABASE_URL", databaseUrl,
                "CONVOKE_REDIS_URL", LocalStores.forTests().redis().url(),
                "CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                "CONVOKE_MIGRATE", "false"));
    assertThatThrownBy(() -> App.start(serverConfig, Set.of(NodeRole.API), folder))
        .hasMessageContaining("migrations are pending");
    try (Database database = Database.open(url, 4, "test", Migrations.SCHEMAS)) {
      assertThat(Migrations.pending(database)).as("nothing was changed").isGreaterThan(15);
      int _ = Migrations.apply(database);
    }
    try (App app = App.start(serverConfig, Set.of(NodeRole.API), folder)) {
      assertThat(app.url()).startsWith("http://");
    }
  }

  private static void change(Database database, String sql) {
    database.run(
        tx -> {
          int _ = tx.sql(sql).update();
        });
  }

  /** As pg_dump does. */
  private static void lockAll(Connection dump) throws Exception {
    List<String> tables = new ArrayList<>();
    try (Statement statement = dump.createStatement()) {
      try (ResultSet all =
          statement.executeQuery(
              """
              select format('%I.%I', schemaname, tablename) from pg_tables
              where schemaname in ('convoke', 'durable')
              """)) {
        while (all.next()) {
          boolean _ = tables.add(all.getString(1));
        }
      }
      assertThat(tables).hasSizeGreaterThan(15);
      boolean _ =
          statement.execute("lock table " + String.join(", ", tables) + " in access share mode");
    }
  }
}

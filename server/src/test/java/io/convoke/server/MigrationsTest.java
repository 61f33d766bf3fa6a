package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

/** What the start of a server does to tables that are in use. */
class MigrationsTest {
  private final DatabaseUrl url = DatabaseUrl.parse(LocalStores.forTests().freshDatabase());

  /** A second server starts while a dump, which only reads, is under way. */
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

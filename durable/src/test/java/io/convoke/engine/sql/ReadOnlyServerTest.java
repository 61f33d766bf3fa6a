package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A primary that was demoted, and one whose place another took. */
class ReadOnlyServerTest {
  private static final List<String> SCHEMAS = List.of("public");
  private static final Duration SOON = Duration.ofSeconds(20);

  @Tag("nightly")
  @Test
  void aServerThatOnlyReadsCountsAsOutOfReachForWritesUntilItTakesThem() throws Exception {
    try (EmbeddedPostgres server = LocalStores.forTests().ownPostgres();
        Database database =
            Database.open(DatabaseUrl.parse(server.url("postgres")), 3, "test", SCHEMAS)) {
      database.run(tx -> tx.sql("create table notes (n int)").update());
      readOnly(server, true);
      until(() -> !writes(database));
      assertThatThrownBy(() -> insert(database)).isInstanceOf(StoreUnavailable.class);
      assertThatThrownBy(
              () ->
                  database.read(
                      tx -> tx.sql("insert into notes values (2) returning n").list(r -> 1)))
          .isInstanceOf(StoreUnavailable.class);
      assertThat(database.<Integer>read(tx -> tx.sql("select 1 as n").one(r -> r.intAt("n"))))
          .isEqualTo(1);
      readOnly(server, false);
      until(() -> writes(database));
    }
  }

  @Test
  @Tag("nightly")
  void ofSeveralServersThePoolFindsTheOneThatIsPrimaryNowWithoutAnError() throws Exception {
    try (EmbeddedPostgres first = LocalStores.forTests().ownPostgres();
        EmbeddedPostgres second = LocalStores.forTests().ownPostgres()) {
      samePassword(first, second);
      for (EmbeddedPostgres each : List.of(first, second)) {
        execute(each, "create table notes (n int)");
      }
      readOnly(second, true);
      try (Database database =
          Database.open(DatabaseUrl.parse(both(first, second)), 3, "test", SCHEMAS)) {
        insert(database);
        assertThat(count(first)).isEqualTo(1);
        // Each connection of the pool has been used, and none is broken by the change.
        readOnly(first, true);
        readOnly(second, false);
        until(() -> writes(database));
        insert(database);
        assertThat(count(second)).isGreaterThanOrEqualTo(2);
      }
    }
  }

  /** It accepts connections and says nothing to them. */
  @Tag("nightly")
  @Test
  void ofSeveralServersOneThatHangsIsPassedOver() throws Exception {
    String url = LocalStores.forTests().freshDatabase();
    try (ServerSocket hanging = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Database database =
            Database.open(
                DatabaseUrl.parse(
                    url.replaceFirst("@", "@127.0.0.1:" + hanging.getLocalPort() + ",")),
                1,
                "test",
                SCHEMAS,
                Duration.ofSeconds(30))) {
      assertThat(database.<Integer>read(tx -> tx.sql("select 1 as n").one(r -> r.intAt("n"))))
          .isEqualTo(1);
    }
  }

  /** What a full disk and a lack of memory or connections say is not the statement's fault. */
  @ParameterizedTest
  @ValueSource(
      strings = {"25006", "53100", "53200", "53300", "57P01", "57P02", "57P03", "08006", "58030"})
  void whatTheServerLacksIsNotTheCallsFault(String state) {
    assertThat(Database.failure(new SQLException("refused", state)))
        .isInstanceOf(StoreUnavailable.class);
  }

  @Tag("nightly")
  @Test
  void theDurableEngineGoesOnWhenTheServerTakesWritesAgain() throws Exception {
    try (EmbeddedPostgres server = LocalStores.forTests().ownPostgres();
        Durable engine =
            Durable.on(server.url("postgres"))
                .activity("twice", String.class, (context, name) -> name + name)
                .workflow(
                    "later",
                    String.class,
                    (context, name) -> {
                      context.sleep(Duration.ofMillis(500));
                      return context.activity("twice", name, String.class);
                    })
                // What cannot be given back is free when its lock ends.
                .size(
                    new DispatcherPool.DispatcherCounts(
                        8, 8, 100, Duration.ofSeconds(2), Duration.ofSeconds(2)))
                .start()) {
      engine.start("later", "w-1", "a");
      readOnly(server, true);
      until(() -> !starts(engine, "w-2"));
      long due = System.nanoTime() + Duration.ofSeconds(1).toNanos();
      // Its timer fires meanwhile.
      until(() -> !starts(engine, "w-2") && System.nanoTime() - due > 0);
      readOnly(server, false);
      assertThat(engine.await("w-1", String.class, SOON)).isEqualTo("aa");
      until(() -> starts(engine, "w-3"));
      assertThat(engine.await("w-3", String.class, SOON)).isEqualTo("bb");
    }
  }

  private static boolean starts(Durable engine, String id) {
    try {
      engine.start("later", id, "b");
      return true;
    } catch (RuntimeException refused) {
      return false;
    }
  }

  private static boolean writes(Database database) {
    try {
      insert(database);
      return true;
    } catch (StoreUnavailable away) {
      return false;
    }
  }

  private static void insert(Database database) {
    database.run(tx -> tx.sql("insert into notes values (1)").update());
  }

  private static void until(BooleanSupplier holds) {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).isNegative();
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static void readOnly(EmbeddedPostgres server, boolean on) throws SQLException {
    execute(server, "alter system set default_transaction_read_only = " + (on ? "on" : "off"));
    execute(server, "select pg_reload_conf()");
  }

  private static int count(EmbeddedPostgres server) throws SQLException {
    try (Connection connection = server.connect("postgres");
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery("select count(*) from notes")) {
      assertThat(rows.next()).isTrue();
      return rows.getInt(1);
    }
  }

  private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect("postgres");
        Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }

  /** One URL for both: a user that both know. */
  private static void samePassword(EmbeddedPostgres... servers) throws SQLException {
    for (EmbeddedPostgres server : servers) {
      execute(server, "create role app superuser login password 'app'");
    }
  }

  private static String both(EmbeddedPostgres first, EmbeddedPostgres second) {
    return "postgresql://app:app@%s,%s/postgres".formatted(place(first), place(second));
  }

  private static String place(EmbeddedPostgres server) {
    return Pattern.compile(".*@|/postgres$").matcher(server.url("postgres")).replaceAll("");
  }
}

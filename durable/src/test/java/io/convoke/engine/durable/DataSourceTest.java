package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** An engine on a data source of the application, and starts in transactions of the application. */
class DataSourceTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String SETTINGS =
      """
      select string_agg(name || '=' || coalesce(setting, ''), ',' order by name) from pg_settings
      where name in ('search_path', 'application_name', 'enable_seqscan', 'synchronous_commit',
        'statement_timeout', 'plan_cache_mode', 'idle_in_transaction_session_timeout',
        'default_transaction_isolation')
      """;

  private final DatabaseUrl url = DatabaseUrl.parse(LocalStores.forTests().freshDatabase());

  private PGSimpleDataSource plain() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url.jdbc());
    source.setUser(url.user());
    source.setPassword(url.password());
    return source;
  }

  private HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(plain());
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(500);
    config.setAutoCommit(false);
    config.setIsolateInternalQueries(true);
    config.setConnectionInitSql(
        """
        set search_path to pg_catalog;
        set statement_timeout to '77s';
        set default_transaction_isolation to 'repeatable read'
        """);
    return new HikariDataSource(config);
  }

  private static Durable.Builder echo(Durable.Builder builder) {
    return builder
        .activity("echo", String.class, (context, text) -> text)
        .workflow(
            "echo", String.class, (context, text) -> context.activity("echo", text, String.class));
  }

  @Test
  void anEngineWorksOnADataSourceAndIsNotified() throws Exception {
    try (Durable _ = echo(Durable.on(plain())).start();
        Durable client = Durable.on(plain()).connections(6).connect()) {
      client.start("echo", "e", "a");
      assertThat(client.await("e", String.class, LONG)).isEqualTo("a");
      try (Connection connection = plain().getConnection();
          Statement statement = connection.createStatement()) {
        assertThat(
                text(
                    statement,
                    """
                    select string_agg(distinct application_name, ',' order by application_name)
                    from pg_stat_activity
                    where datname = current_database() and application_name like 'convoke%'
                    """))
            .isEqualTo(
                "convoke-durable,convoke-durable-announcer,convoke-durable-claims,convoke-listener");
      }
    }
  }

  @Test
  void sessionsAreGivenBackAsTheyWere() throws Exception {
    try (HikariDataSource pool = pool(8)) {
      String before;
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        before = text(statement, SETTINGS);
      }
      try (Durable engine = echo(Durable.on(pool).connections(6)).start()) {
        engine.start("echo", "e", "a");
        assertThat(engine.await("e", String.class, LONG)).isEqualTo("a");
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isBetween(3, 6);
      }
      List<Connection> all = new ArrayList<>();
      try {
        for (int i = 0; i < 8; i++) {
          all.add(pool.getConnection());
        }
        for (Connection connection : all) {
          assertThat(connection.getAutoCommit()).isFalse();
          try (Statement statement = connection.createStatement()) {
            assertThat(text(statement, SETTINGS)).isEqualTo(before);
            assertThat(text(statement, "select string_agg(c, ',') from pg_listening_channels() c"))
                .isNull();
            assertThat(
                    text(
                        statement,
                        """
                        select count(*) from pg_locks
                        where locktype = 'advisory' and pid = pg_backend_pid()
                        """))
                .isEqualTo("0");
          }
        }
      } finally {
        for (Connection connection : all) {
          connection.close();
        }
      }
    }
  }

  @Test
  void aDataSourceThatIsTooSmallIsRefusedAtTheStart() {
    try (HikariDataSource pool = pool(7)) {
      assertThatThrownBy(() -> Durable.on(pool).connect())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("up to 12 connections and the data source lent 7");
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
    assertThatThrownBy(() -> Durable.on(plain()).connections(5).connect())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 6");
  }

  /** As a service does that is started beside its database. */
  @Test
  void aBuilderWhoseStartFailedStartsWhenTheDatabaseIsThere() throws Exception {
    PGSimpleDataSource source = plain();
    int[] ports = source.getPortNumbers();
    Durable.Builder builder = echo(Durable.on(source));
    source.setPortNumbers(new int[] {1});
    assertThatThrownBy(builder::start).isInstanceOf(StoreUnavailable.class);
    source.setPortNumbers(ports);
    try (Durable engine = builder.start()) {
      engine.start("echo", "e", "a");
      assertThat(engine.await("e", String.class, LONG)).isEqualTo("a");
    }
  }

  @Test
  void aWorkflowStartsIfTheTransactionOfTheApplicationCommits() throws Exception {
    try (Durable engine = echo(Durable.on(plain())).start();
        Connection connection = plain().getConnection();
        Statement statement = connection.createStatement()) {
      boolean _ = statement.execute("set search_path to pg_catalog");
      connection.setAutoCommit(false);
      engine.start(connection, "echo", "never", "a");
      connection.rollback();
      engine.start(connection, "echo", "committed", "b");
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(text(statement, "show search_path")).isEqualTo("pg_catalog");
      assertThat(engine.instance("committed")).isEmpty();
      connection.commit();
      assertThat(engine.await("committed", String.class, LONG)).isEqualTo("b");
      assertThat(engine.instance("never")).isEmpty();
    }
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }
}

package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Law 10: a whole server that has nothing to do asks the database almost nothing. */
@Timeout(240)
@Tag("nightly")
class IdleTest {
  private static final String DATABASE = "idle";

  /** After so long without requests a server has finished its start-up work. */
  private static final int CALM_SECONDS = 4;

  /** A node scans once when the 30 s of its last start-up lock have passed. */
  private static final int LOCKS_SECONDS = 31;

  /** A little less than a minute, so that a query of once a minute does not count twice. */
  private static final int WINDOW_SECONDS = 58;

  @Test
  void aServerWithNothingToDoMakesFewerThanATenthOfAStatementASecond(@TempDir Path folder)
      throws Exception {
    try (EmbeddedPostgres embeddedPostgres =
        LocalStores.forTests()
            .ownPostgres(List.of("shared_preload_libraries=pg_stat_statements"))) {
      embeddedPostgres.createDatabase(DATABASE, "template1");
      try (Connection outside = embeddedPostgres.connect("postgres")) {
        run(outside, "create extension pg_stat_statements");
        try (JourneyTestServer journeyTestServer =
            JourneyTestServer.open(
                folder, Map.of("CONVOKE_DATABASE_URL", embeddedPostgres.url(DATABASE)))) {
          assertThat(journeyTestServer.anonymous().get("/readyz").status()).isEqualTo(200);
          long before = 0;
          while (before != statements(outside)) {
            before = statements(outside);
            pass(outside, CALM_SECONDS);
          }
          assertThat(before).as("its beginning is counted").isGreaterThan(10);
          pass(outside, LOCKS_SECONDS);
          run(outside, "select pg_stat_statements_reset()");
          pass(outside, WINDOW_SECONDS);
          assertThat(statements(outside))
              .as("%s", asked(outside))
              .isLessThanOrEqualTo(WINDOW_SECONDS / 10);
        }
      }
    }
  }

  /** Lets time pass, because the test measures a rate. */
  private static void pass(Connection outside, int seconds) throws SQLException {
    run(outside, "select pg_sleep(" + seconds + ")");
  }

  private static void run(Connection outside, String sql) throws SQLException {
    try (PreparedStatement statement = outside.prepareStatement(sql)) {
      boolean _ = statement.execute();
    }
  }

  private static long statements(Connection outside) throws SQLException {
    return Long.parseLong(one(outside, "coalesce(sum(s.calls), 0)::bigint::text"));
  }

  /** Every statement, for the failure message. */
  private static String asked(Connection outside) throws SQLException {
    return one(outside, "string_agg(s.calls || ' x ' || s.query, e'\\n')");
  }

  private static String one(Connection outside, String what) throws SQLException {
    try (PreparedStatement query =
        outside.prepareStatement(
            "select coalesce(%s, '') as it from pg_stat_statements s".formatted(what)
                + " join pg_database d on d.oid = s.dbid where d.datname = ?")) {
      query.setString(1, DATABASE);
      try (ResultSet rows = query.executeQuery()) {
        assertThat(rows.next()).isTrue();
        return rows.getString("it");
      }
    }
  }
}

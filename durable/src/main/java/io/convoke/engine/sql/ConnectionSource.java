package io.convoke.engine.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;

/** Where connections to Postgres come from: a URL, or a data source of the application. */
public sealed interface ConnectionSource permits DatabaseUrl, ApplicationDataSource {
  /**
   * Opens a connection outside the pools.
   *
   * @param application its name
   * @param driver properties of the driver; a data source has its own
   * @param settings of the session, by their names in Postgres
   */
  Connection connect(String application, Map<String, String> driver, Map<String, String> settings)
      throws SQLException;

  /** Whether only a primary will do. */
  boolean wantsPrimary();

  /** Sets settings of a session, in one round trip. */
  static void set(Connection connection, Map<String, String> settings) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select set_config(s.name, s.value, false) from unnest(?, ?) as s(name, value)")) {
      statement.setArray(1, connection.createArrayOf("text", settings.keySet().toArray()));
      statement.setArray(2, connection.createArrayOf("text", settings.values().toArray()));
      boolean _ = statement.execute();
    }
  }
}

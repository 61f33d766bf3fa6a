package io.convoke.engine.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Collectors;

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
    set(connection, settings, false);
  }

  /** Sets settings of the current transaction, in one round trip. */
  static void setLocally(Connection connection, Map<String, String> settings) throws SQLException {
    set(connection, settings, true);
  }

  /** SQL without rows that sets settings of the current transaction. */
  static String localStatement(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(
            setting ->
                "perform set_config(%s, %s, true);"
                    .formatted(literal(setting.getKey()), literal(setting.getValue())))
        .collect(Collectors.joining(" ", "do $settings$ begin ", " end $settings$"));
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static void set(Connection connection, Map<String, String> settings, boolean local)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select set_config(s.name, s.value, ?) from unnest(?, ?) as s(name, value)")) {
      statement.setBoolean(1, local);
      statement.setArray(2, connection.createArrayOf("text", settings.keySet().toArray()));
      statement.setArray(3, connection.createArrayOf("text", settings.values().toArray()));
      boolean _ = statement.execute();
    }
  }
}

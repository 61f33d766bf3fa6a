package io.convoke.engine.sql;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The address of a database, from {@code postgresql://user:pass@host:port/db?option=value}. Of
 * several hosts, separated by commas, the driver connects to the primary, unless {@code
 * targetServerType} is set. Options are the driver's own, libpq's {@code target_session_attrs}, and
 * {@code pool_mode=transaction}.
 *
 * @param transactionPooled whether a pooler stands between that gives each transaction another
 *     session, as PgBouncer does in its mode of that name
 */
public record DatabaseUrl(String jdbc, String user, String password, boolean transactionPooled)
    implements ConnectionSource {
  private static final String FORM = "not a URL of the form postgresql://user:pass@host/db";
  private static final String POOL_MODE = "pool_mode=";

  /** An address where a connection is a session. */
  public DatabaseUrl(String jdbc, String user, String password) {
    this(jdbc, user, password, false);
  }

  /**
   * Parses the URL of an operator's configuration.
   *
   * @throws IllegalArgumentException with a message for the operator that never has the password
   */
  public static DatabaseUrl parse(String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(FORM);
    }
    boolean postgres = "postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme());
    String authority = uri.getRawAuthority();
    String path = uri.getRawPath();
    if (!postgres || authority == null || path == null || path.length() < 2) {
      throw new IllegalArgumentException(FORM);
    }
    boolean several = authority.substring(authority.lastIndexOf('@') + 1).contains(",");
    String query = query(uri.getRawQuery() == null ? "" : uri.getRawQuery(), several);
    if (query.toLowerCase(Locale.ROOT).contains("password")) {
      throw new IllegalArgumentException("a password belongs before the host: user:pass@host");
    }
    int at = authority.lastIndexOf('@');
    String userInfo = authority.substring(0, Math.max(0, at));
    int colon = userInfo.indexOf(':');
    String user = colon < 0 ? userInfo : userInfo.substring(0, colon);
    String password = colon < 0 ? "" : userInfo.substring(colon + 1);
    return new DatabaseUrl(
        "jdbc:postgresql://" + authority.substring(at + 1) + path + query,
        decode(user),
        decode(password),
        isTransactionPooled(uri.getRawQuery()));
  }

  private static boolean isTransactionPooled(@Nullable String query) {
    List<String> modes =
        Arrays.stream((query == null ? "" : query).split("&", -1))
            .filter(option -> option.startsWith(POOL_MODE))
            .map(option -> option.substring(POOL_MODE.length()))
            .toList();
    if (!List.of("session", "transaction").containsAll(modes)) {
      throw new IllegalArgumentException("pool_mode must be session or transaction");
    }
    return modes.contains("transaction");
  }

  /** The options with the driver's names, after a question mark if there are any. */
  private static String query(String raw, boolean several) {
    List<String> options = new ArrayList<>();
    boolean target = false;
    for (String option : raw.split("&", -1)) {
      boolean libpq = option.startsWith("target_session_attrs=");
      target |= libpq || option.startsWith("targetServerType=");
      if (!option.isEmpty() && !option.startsWith(POOL_MODE)) {
        options.add(libpq ? "targetServerType=" + serverType(option.split("=", 2)[1]) : option);
      }
    }
    if (several && !target) {
      options.add("targetServerType=primary");
    }
    return options.isEmpty() ? "" : "?" + String.join("&", options);
  }

  private static String serverType(String sessionAttributes) {
    return switch (sessionAttributes) {
      case "read-write", "primary" -> "primary";
      case "any" -> "any";
      case "read-only", "standby" -> "secondary";
      case "prefer-standby" -> "preferSecondary";
      default ->
          throw new IllegalArgumentException(
              "target_session_attrs must be read-write, primary, any, read-only, standby or"
                  + " prefer-standby");
    };
  }

  @Override
  public Connection connect(
      String application, Map<String, String> driver, Map<String, String> settings)
      throws SQLException {
    if (transactionPooled) {
      throw new SQLException("a session is needed, and " + this + " pools transactions");
    }
    Properties properties = properties();
    properties.setProperty("ApplicationName", application);
    properties.putAll(driver);
    Connection connection = DriverManager.getConnection(jdbc, properties);
    boolean ready = false;
    try {
      if (!settings.isEmpty()) {
        ConnectionSource.set(connection, settings);
      }
      ready = true;
      return connection;
    } finally {
      if (!ready) {
        connection.close();
      }
    }
  }

  /** Whether the driver connects to a primary only. */
  @Override
  public boolean wantsPrimary() {
    return jdbc.contains("targetServerType=primary");
  }

  /** Connection properties for a driver connection outside the pool. */
  public Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("tcpKeepAlive", "true");
    return properties;
  }

  /** The URL without its password. */
  @Override
  public String toString() {
    return jdbc + " as " + user;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}

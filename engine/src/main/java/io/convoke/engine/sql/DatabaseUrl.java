package io.convoke.engine.sql;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Properties;

/**
 * Where a database is, from {@code postgresql://user:pass@host:port/db?option=value}. Several hosts
 * may be named, separated by commas; options are the driver's own, for example {@code
 * targetServerType=primary}.
 */
public record DatabaseUrl(String jdbc, String user, String password) {
  private static final String FORM = "not a URL of the form postgresql://user:pass@host/db";

  /**
   * Reads the URL of an operator's configuration.
   *
   * @throws IllegalArgumentException in words for the operator, never repeating the password
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
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    if (query.toLowerCase(Locale.ROOT).contains("password")) {
      throw new IllegalArgumentException("a password belongs before the host: user:pass@host");
    }
    int at = authority.lastIndexOf('@');
    String userInfo = at < 0 ? "" : authority.substring(0, at);
    int colon = userInfo.indexOf(':');
    String user = colon < 0 ? userInfo : userInfo.substring(0, colon);
    String password = colon < 0 ? "" : userInfo.substring(colon + 1);
    return new DatabaseUrl(
        "jdbc:postgresql://" + authority.substring(at + 1) + path + query,
        decode(user),
        decode(password));
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

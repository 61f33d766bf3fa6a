package io.convoke.engine.sql;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** Where a database is, from {@code postgresql://user:pass@host:port/db?option=value}. */
public record DatabaseUrl(String jdbc, String user, String password) {

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
      throw new IllegalArgumentException("not a URL of the form postgresql://user:pass@host/db");
    }
    boolean postgres = "postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme());
    String path = uri.getPath();
    if (!postgres || uri.getHost() == null || path == null || path.length() < 2) {
      throw new IllegalArgumentException("not a URL of the form postgresql://user:pass@host/db");
    }
    String userInfo = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
    int colon = userInfo.indexOf(':');
    String user = colon < 0 ? userInfo : userInfo.substring(0, colon);
    String password = colon < 0 ? "" : userInfo.substring(colon + 1);
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return new DatabaseUrl(
        "jdbc:postgresql://" + uri.getHost() + port + uri.getRawPath() + query,
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

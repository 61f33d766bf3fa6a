package io.convoke.server.http.auth;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The cookie that a session travels in. Over https its name begins with {@code __Host-}, so that
 * browsers take it from this host alone; they refuse that name over plain http, where it has
 * another.
 */
enum SessionCookie {
  HTTPS("__Host-convoke", "; Secure"),
  HTTP("convoke", "");

  private final String prefix;
  private final String more;

  SessionCookie(String name, String more) {
    this.prefix = name + "=";
    this.more = more;
  }

  /** Each value of this name in a {@code Cookie} header. */
  Stream<String> valuesIn(Optional<String> header) {
    return header.stream()
        .flatMap(cookies -> Arrays.stream(cookies.split(";", -1)))
        .map(String::strip)
        .filter(cookie -> cookie.startsWith(prefix))
        .map(cookie -> cookie.substring(prefix.length()));
  }

  /** The {@code Set-Cookie} header that sets it. */
  String header(String value, Duration age) {
    return prefix
        + value
        + "; Max-Age="
        + age.toSeconds()
        + "; Path=/; HttpOnly; SameSite=Strict"
        + more;
  }

  /** The {@code Set-Cookie} header that takes it back. */
  String cleared() {
    return header("", Duration.ZERO);
  }
}

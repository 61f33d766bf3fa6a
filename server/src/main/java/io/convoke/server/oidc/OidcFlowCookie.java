package io.convoke.server.oidc;

import io.convoke.server.http.Request;
import io.convoke.server.http.auth.BrowserSessions;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The cookie of a sign-in that has begun. It must come back with the issuer's redirect, which is a
 * navigation from another site: hence {@code SameSite=Lax}.
 */
enum OidcFlowCookie {
  HTTPS("__Host-convoke-oidc", "; Secure"),
  HTTP("convoke-oidc", "");

  private final String prefix;
  private final String more;

  OidcFlowCookie(String name, String more) {
    this.prefix = name + "=";
    this.more = more;
  }

  static OidcFlowCookie of(Request request) {
    return BrowserSessions.https(request) ? HTTPS : HTTP;
  }

  /** Each value of this name that the browser sent. */
  Stream<String> valuesIn(Request request) {
    return request.header("Cookie").stream()
        .flatMap(cookies -> Arrays.stream(cookies.split(";", -1)))
        .map(String::strip)
        .filter(cookie -> cookie.startsWith(prefix))
        .map(cookie -> cookie.substring(prefix.length()));
  }

  /** The {@code Set-Cookie} header that sets it. */
  String header(String value) {
    return header(value, OidcFlow.LIFE.toSeconds());
  }

  /** The {@code Set-Cookie} header that takes it back. */
  String cleared() {
    return header("", 0);
  }

  private String header(String value, long seconds) {
    return prefix + value + "; Max-Age=" + seconds + "; Path=/; HttpOnly; SameSite=Lax" + more;
  }
}

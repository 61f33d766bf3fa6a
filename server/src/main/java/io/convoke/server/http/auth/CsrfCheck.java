package io.convoke.server.http.auth;

import io.convoke.server.http.Problem;
import java.util.Optional;
import java.util.function.Function;

/**
 * CSRF check: the origin of a request, from the headers of browsers and proxies. Browsers send
 * cookies with requests of any site, so a request authenticated by a cookie must come from the
 * console itself. Requests with a credential header are exempt: no other site can make a browser
 * send one.
 *
 * @param headers the first value of a request header, by its name
 */
record CsrfCheck(Function<String, Optional<String>> headers) {
  /**
   * The header that the console sends. A form cannot set it, and a script of another site would
   * need a CORS preflight, which this server never grants.
   */
  static final String MARK = "X-Convoke-CSRF";

  private static final String SITE = "Sec-Fetch-Site";
  private static final String OURS = "same-origin";

  /** The cookie of the browser's connection; the listener speaks no TLS, a proxy in front may. */
  SessionCookie cookie() {
    return headers
        .apply("X-Forwarded-Proto")
        .map(protocols -> protocols.split(",", 2)[0].strip())
        .filter("https"::equalsIgnoreCase)
        .map(_ -> SessionCookie.HTTPS)
        .orElse(SessionCookie.HTTP);
  }

  /**
   * Permits a read request from the console, or from a typed address.
   *
   * @throws Problem 403 if another site sent it
   */
  void admitReading() {
    if (headers
        .apply(SITE)
        .filter(site -> !site.equals(OURS) && !site.equals("none"))
        .isPresent()) {
      throw Problem.csrf();
    }
  }

  /**
   * Permits a changing request from the console.
   *
   * @throws Problem 403 if another site sent it, or its origin is unknown
   */
  void admitWriting() {
    boolean marked = headers.apply(MARK).filter("1"::equals).isPresent();
    if (!marked || !isOurs()) {
      throw Problem.csrf();
    }
  }

  /** Browsers leave {@code Sec-Fetch-Site} out over plain http; programs leave out both. */
  private boolean isOurs() {
    return headers
        .apply(SITE)
        .map(OURS::equals)
        .or(() -> headers.apply("Origin").map(this::isHost))
        .orElse(true);
  }

  private boolean isHost(String origin) {
    int scheme = origin.indexOf("://");
    return scheme > 0
        && headers.apply("Host").filter(origin.substring(scheme + 3)::equalsIgnoreCase).isPresent();
  }
}

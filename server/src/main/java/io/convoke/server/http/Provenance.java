package io.convoke.server.http;

import java.util.Optional;
import java.util.function.Function;

/**
 * Where a request comes from, by what browsers and proxies say of it. A cookie goes along whoever
 * makes the browser ask, so what lives by a cookie must come from a page of our own. Callers that
 * show a header are not asked: no other site can make a browser send one.
 *
 * @param headers the first value of a request header, by its name
 */
record Provenance(Function<String, Optional<String>> headers) {
  /**
   * The header that a page of ours sends. A form cannot set it, and a script of another site would
   * have to ask us first, which we never grant.
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
   * Lets a request read that a page of ours made, or a person by typing its address.
   *
   * @throws Problem 403 if another site made it
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
   * Lets a request change something that a page of ours made.
   *
   * @throws Problem 403 if another site made it, or one that does not say so
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

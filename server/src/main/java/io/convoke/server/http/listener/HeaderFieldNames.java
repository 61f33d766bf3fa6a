package io.convoke.server.http.listener;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.util.concurrent.ConcurrentHashMap;

/** The web server's header names, cached for the names that the code uses. */
final class HeaderFieldNames {
  private static final int MAX = 256;
  private static final ConcurrentHashMap<String, HeaderName> KNOWN = new ConcurrentHashMap<>();

  private HeaderFieldNames() {}

  static HeaderName of(String name) {
    HeaderName known = KNOWN.get(name);
    if (known != null) {
      return known;
    }
    HeaderName made = HeaderNames.create(name);
    if (KNOWN.size() < MAX) {
      var _ = KNOWN.putIfAbsent(name, made);
    }
    return made;
  }
}

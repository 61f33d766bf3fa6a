package io.convoke.server.http.listener;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.util.concurrent.ConcurrentHashMap;

/** Names of header fields as the web server has them, made once for each that the code says. */
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

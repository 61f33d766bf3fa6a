package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import java.util.Optional;

/**
 * One way to read an {@code Authorization: Bearer} token. Schemes are tried in order; the first
 * that recognises the token wins. A scheme that does not recognise the token returns empty and
 * never throws for it; a store that is out of reach may throw its unavailable exception, which
 * becomes 503.
 */
@FunctionalInterface
public interface BearerScheme {
  /** The caller that the token authenticates, or empty if this scheme does not accept it. */
  Optional<Caller> authenticate(String token);
}

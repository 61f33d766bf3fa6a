package io.convoke.server.http;

import java.util.Optional;

/**
 * One way to read an {@code Authorization: Bearer} token. Schemes are asked in order; the first
 * that knows the token answers. A scheme that does not recognise the token answers empty and never
 * throws for it; a store that is out of reach may throw its unavailable exception, which becomes
 * 503.
 */
@FunctionalInterface
public interface BearerScheme {
  /** Who the token proves to be calling, or empty if this scheme does not accept it. */
  Optional<Caller> authenticate(String token);
}

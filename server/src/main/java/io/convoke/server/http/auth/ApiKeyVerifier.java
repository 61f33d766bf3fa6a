package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import java.util.Optional;

/** Resolves an {@code X-API-Key} to its user. */
@FunctionalInterface
public interface ApiKeyVerifier {
  /**
   * The caller of a key that exists, is not revoked, has not expired, and whose user is enabled.
   */
  Optional<Caller> callerOf(String apiKey);
}

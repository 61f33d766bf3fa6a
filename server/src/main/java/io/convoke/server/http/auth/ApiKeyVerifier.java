package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import java.util.Optional;

/** Resolves an {@code X-API-Key} to its user. */
@FunctionalInterface
public interface ApiKeyVerifier {
  /** The user of a key that exists and is not revoked. */
  Optional<Caller> callerOf(String apiKey);
}

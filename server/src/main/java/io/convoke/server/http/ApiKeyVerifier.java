package io.convoke.server.http;

import java.util.Optional;

/** Resolves an {@code X-API-Key} to its user. */
@FunctionalInterface
public interface ApiKeyVerifier {
  /** The user of a key that exists and is not revoked. */
  Optional<Caller> callerOf(String apiKey);
}

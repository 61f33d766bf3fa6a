package io.convoke.server.http;

import java.util.Optional;

/** Knows whose {@code X-API-Key} a key is. */
@FunctionalInterface
public interface ApiKeys {
  /** The user of a key that exists and is not revoked. */
  Optional<Caller> callerOf(String apiKey);
}

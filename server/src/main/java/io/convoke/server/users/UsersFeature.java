package io.convoke.server.users;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.auth.ApiKeyVerifier;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Wires users and tokens: their endpoints, and the resolution of API keys and JWT subjects to
 * users.
 */
public final class UsersFeature {
  private static final Duration KNOWN_FOR = Duration.ofSeconds(3);
  private static final int MAX_KNOWN = 10_000;

  private final UserStore store;
  private final ApiTokenService tokens;
  private final TtlCache<Long> known = new TtlCache<>(KNOWN_FOR, MAX_KNOWN, System::nanoTime);

  /** Users in this database. */
  public UsersFeature(Database database) {
    this.store = new UserStore(database);
    this.tokens = new ApiTokenService(new ApiTokenStore(database), System::nanoTime);
  }

  /** The owner of an {@code X-API-Key}. */
  public ApiKeyVerifier apiKeys() {
    return tokens;
  }

  /** Whether a user of this number exists; for the subject of a JWT. */
  public boolean exists(long userId) {
    return known
        .get(
            String.valueOf(userId),
            () -> store.exists(userId) ? Optional.of(userId) : Optional.empty())
        .isPresent();
  }

  /** The operator's endpoints for users and tokens. */
  public List<Endpoint> endpoints() {
    return new UsersEndpoints(store, tokens).endpoints();
  }
}

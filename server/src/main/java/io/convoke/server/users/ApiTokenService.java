package io.convoke.server.users;

import io.convoke.engine.crypto.Sha256Hash;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.convoke.server.http.auth.ApiKeyVerifier;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * API tokens: {@code cvk_} and 256 random bits. A token is looked up by its SHA-256, so timing
 * reveals nothing about it, and the stored hash is no credential.
 *
 * <p>A valid token is cached for {@link #REMEMBERED}. A revocation evicts it at once in this
 * process; other nodes stop accepting it within that time. Unknown tokens are cached too, up to
 * {@value #MAX_REMEMBERED}: tokens are random, so a token issued later was never presented before,
 * and a revoked one never becomes valid again. That of a disabled user may, and is no unknown one.
 */
public final class ApiTokenService implements ApiKeyVerifier {
  /** How long a revoked token may still work in another process. */
  public static final Duration REMEMBERED = Duration.ofSeconds(3);

  private static final String PREFIX = "cvk_";
  private static final int SECRET_BYTES = 32;
  private static final int SECRET_CHARS = 43;
  private static final int MAX_REMEMBERED = 10_000;

  /** A new token; its secret is shown once. */
  record IssuedApiToken(long id, String token, List<ApiScope> scopes, Optional<Instant> expiresAt) {
    @Override
    public String toString() {
      return "IssuedApiToken[id=" + id + "]";
    }
  }

  private final ApiTokenStore store;
  private final SecureRandom random = new SecureRandom();
  private final InstantSource clock;
  private final KeyUseRecorder uses;
  private final TtlCache<ApiTokenStore.ApiTokenOwner> owners;
  private final Set<String> unknown = ConcurrentHashMap.newKeySet();

  ApiTokenService(
      ApiTokenStore store, KeyUseRecorder uses, InstantSource clock, LongSupplier nanoTime) {
    this.store = store;
    this.uses = uses;
    this.clock = clock;
    this.owners = new TtlCache<>(REMEMBERED, MAX_REMEMBERED, nanoTime);
  }

  /**
   * Creates a token for a user.
   *
   * @param inserted called with its number before the commit
   * @throws Problem 404 if there is no such user
   */
  IssuedApiToken issue(long userId, ApiTokenStore.NewApiToken newToken, LongConsumer inserted) {
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    String token = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    List<ApiScope> scopes =
        newToken.scopes().orElse(ApiScope.UNLESS_NAMED).stream().sorted().toList();
    long id = store.insert(userId, newToken, Sha256Hash.of(token), inserted);
    return new IssuedApiToken(id, token, scopes, newToken.expiresAt());
  }

  /** The tokens of a user below an id, newest first. */
  List<ApiTokenStore.ApiToken> list(long userId, long below, int limit) {
    return store.list(userId, below, limit);
  }

  /**
   * Revokes a token, once or again.
   *
   * @throws Problem 404 if there never was one of this id
   */
  void revoke(long tokenId) {
    owners.invalidate(HexFormat.of().formatHex(store.revoke(tokenId)));
  }

  @Override
  public Optional<Caller> callerOf(String apiKey) {
    if (apiKey.length() != PREFIX.length() + SECRET_CHARS || !apiKey.startsWith(PREFIX)) {
      return Optional.empty();
    }
    byte[] hash = Sha256Hash.of(apiKey);
    String name = HexFormat.of().formatHex(hash);
    if (unknown.contains(name)) {
      return Optional.empty();
    }
    Optional<ApiTokenStore.ApiTokenOwner> owner = owners.get(name, () -> store.ownerOf(hash));
    if (owner.isEmpty()) {
      rememberUnknown(name);
    }
    return owner.filter(it -> it.goodAt(clock.instant())).map(this::caller);
  }

  private Caller caller(ApiTokenStore.ApiTokenOwner owner) {
    uses.used(owner.tokenId());
    return Caller.ofUser(
        owner.userId(), owner.scopes(), Optional.of(owner.tokenId()), owner.teamMates());
  }

  /** Looks at every token anew from now on. */
  void forget() {
    owners.clear();
  }

  private void rememberUnknown(String name) {
    if (unknown.size() >= MAX_REMEMBERED) {
      unknown.clear();
    }
    boolean _ = unknown.add(name);
  }
}

package io.convoke.server.users;

import io.convoke.server.http.Caller;
import io.convoke.server.http.auth.ApiKeyVerifier;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * API tokens: {@code cvk_} and 256 random bits. A token is looked up by its SHA-256, so timing
 * reveals nothing about it, and the stored hash is no credential.
 *
 * <p>A valid token is cached for {@link #REMEMBERED}. A revocation evicts it at once in this
 * process; other nodes stop accepting it within that time. Unknown tokens are cached too, up to
 * {@value #MAX_REMEMBERED}: tokens are random, so a token issued later was never presented before,
 * and a revoked one never becomes valid again.
 */
public final class ApiTokenService implements ApiKeyVerifier {
  /** How long a revoked token may still work in another process. */
  public static final Duration REMEMBERED = Duration.ofSeconds(3);

  private static final String PREFIX = "cvk_";
  private static final int SECRET_BYTES = 32;
  private static final int SECRET_CHARS = 43;
  private static final int MAX_REMEMBERED = 10_000;

  /** A new token; its secret is shown once. */
  record IssuedApiToken(long id, String token) {
    @Override
    public String toString() {
      return "IssuedApiToken[id=" + id + "]";
    }
  }

  private final ApiTokenStore store;
  private final SecureRandom random = new SecureRandom();
  private final TtlCache<Long> owners;
  private final Set<String> unknown = ConcurrentHashMap.newKeySet();

  ApiTokenService(ApiTokenStore store, LongSupplier nanoTime) {
    this.store = store;
    this.owners = new TtlCache<>(REMEMBERED, MAX_REMEMBERED, nanoTime);
  }

  /** Creates a token for a user; empty if there is no such user. */
  Optional<IssuedApiToken> issue(long userId, Optional<String> name) {
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    String token = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    return store.insert(userId, name, hash(token)).map(id -> new IssuedApiToken(id, token));
  }

  /** The tokens of a user below an id, newest first. */
  List<ApiTokenStore.ApiToken> list(long userId, long below, int limit) {
    return store.list(userId, below, limit);
  }

  /** Revokes a token; false if there never was one of this id. */
  boolean revoke(long tokenId) {
    Optional<byte[]> hash = store.revoke(tokenId);
    hash.ifPresent(known -> owners.invalidate(HexFormat.of().formatHex(known)));
    return hash.isPresent();
  }

  @Override
  public Optional<Caller> callerOf(String apiKey) {
    if (apiKey.length() != PREFIX.length() + SECRET_CHARS || !apiKey.startsWith(PREFIX)) {
      return Optional.empty();
    }
    byte[] hash = hash(apiKey);
    String name = HexFormat.of().formatHex(hash);
    if (unknown.contains(name)) {
      return Optional.empty();
    }
    Optional<Long> owner =
        owners.get(name, () -> store.ownerOf(hash).map(ApiTokenStore.ApiTokenOwner::userId));
    if (owner.isEmpty()) {
      rememberUnknown(name);
    }
    return owner.map(Caller.UserCaller::new);
  }

  private void rememberUnknown(String name) {
    if (unknown.size() >= MAX_REMEMBERED) {
      unknown.clear();
    }
    boolean _ = unknown.add(name);
  }

  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}

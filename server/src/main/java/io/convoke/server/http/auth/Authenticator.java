package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.convoke.server.http.auth.CredentialFailureLimiter.LimitedCredentialKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Authenticates the caller of a request. Every presented credential must be valid: a wrong admin
 * key beside a valid user key is 401. With several, the admin key wins, then the API key, then the
 * bearer token.
 */
public final class Authenticator {
  private static final int MAX_CREDENTIAL = 8192;
  private static final String BEARER = "bearer ";

  private final Optional<SharedSecret> admin;
  private final ApiKeyVerifier apiKeyVerifier;
  private final List<BearerScheme> schemes;
  private final SignedInPersonVerifier personVerifier;

  /**
   * @param adminToken the value of {@code X-Admin-API-Key}; empty: no admin access
   * @param internalToken the bearer token of internal services; empty: no internal access
   * @param schemes further schemes of bearer tokens, tried in this order: bots, then JWTs
   */
  public Authenticator(
      Optional<String> adminToken,
      Optional<String> internalToken,
      ApiKeyVerifier apiKeyVerifier,
      List<BearerScheme> schemes) {
    this(adminToken, internalToken, apiKeyVerifier, schemes, SignedInPersonVerifier.NONE);
  }

  /** The same with sessions of people whom an identity provider named. */
  public Authenticator(
      Optional<String> adminToken,
      Optional<String> internalToken,
      ApiKeyVerifier apiKeyVerifier,
      List<BearerScheme> schemes,
      SignedInPersonVerifier personVerifier) {
    this.personVerifier = personVerifier;
    this.admin = adminToken.filter(token -> !token.isBlank()).map(SharedSecret::new);
    this.apiKeyVerifier = apiKeyVerifier;
    List<BearerScheme> all = new ArrayList<>();
    internalToken.filter(token -> !token.isBlank()).ifPresent(token -> all.add(internal(token)));
    all.addAll(schemes);
    this.schemes = List.copyOf(all);
  }

  /** Called before each credential is checked, with its kind and the check. */
  @FunctionalInterface
  interface CredentialGuard {
    Caller check(
        LimitedCredentialKind limitedCredentialKind, String credential, Supplier<Caller> look);
  }

  /**
   * The caller authenticated by these headers.
   *
   * @throws Problem 401 if none were sent, or any that was sent is wrong; or what the guard throws
   */
  Caller authenticate(
      Optional<String> adminKey,
      Optional<String> apiKey,
      Optional<String> authorization,
      CredentialGuard credentialGuard) {
    Optional<Caller> asAdmin =
        adminKey.map(
            key ->
                credentialGuard.check(
                    LimitedCredentialKind.ADMIN_KEY, key, () -> adminCaller(key)));
    Optional<Caller> asUser =
        apiKey.map(
            key ->
                credentialGuard.check(
                    LimitedCredentialKind.API_KEY,
                    key,
                    () -> known(apiKeyVerifier.callerOf(bounded(key)))));
    Optional<Caller> asBearer =
        authorization.map(
            shown ->
                credentialGuard.check(
                    LimitedCredentialKind.ofBearer(shown), shown, () -> bearerCaller(shown)));
    return asAdmin.or(() -> asUser).or(() -> asBearer).orElseThrow(Problem::unauthorized);
  }

  /**
   * The person of a session.
   *
   * @throws Problem 401 if what it proves is wrong by now
   */
  Caller authenticate(SessionProof proof) {
    return switch (proof) {
      case Credential credential -> authenticateCredential(credential);
      case SignedInPerson person -> known(personVerifier.callerOf(person));
    };
  }

  /**
   * The person that signed in with this.
   *
   * @throws Problem 401 if it is wrong, or proves no person: bots and services have no sessions
   */
  Caller authenticateCredential(Credential credential) {
    String secret = credential.secret();
    return switch (credential.kind()) {
      case API_KEY -> known(apiKeyVerifier.callerOf(bounded(secret)));
      case ADMIN_KEY -> adminCaller(secret);
      case JWT ->
          known(
              Optional.of(bearerCaller(BEARER + secret))
                  .filter(caller -> caller.credentialOwner().isPresent()));
    };
  }

  private Caller adminCaller(String key) {
    if (admin.isPresent() && admin.get().equalTo(bounded(key))) {
      return new Caller.AdminCaller();
    }
    throw Problem.unauthorized();
  }

  private Caller bearerCaller(String authorization) {
    if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      throw Problem.unauthorized();
    }
    String token = bounded(authorization.substring(BEARER.length()).strip());
    for (BearerScheme scheme : schemes) {
      Optional<Caller> caller = scheme.authenticate(token);
      if (caller.isPresent()) {
        return caller.get();
      }
    }
    throw Problem.unauthorized();
  }

  private static BearerScheme internal(String token) {
    SharedSecret secret = new SharedSecret(token);
    return shown ->
        secret.equalTo(shown) ? Optional.of(new Caller.InternalCaller()) : Optional.empty();
  }

  private static Caller known(Optional<Caller> caller) {
    return caller.orElseThrow(Problem::unauthorized);
  }

  private static String bounded(String credential) {
    if (credential.isEmpty() || credential.length() > MAX_CREDENTIAL) {
      throw Problem.unauthorized();
    }
    return credential;
  }
}

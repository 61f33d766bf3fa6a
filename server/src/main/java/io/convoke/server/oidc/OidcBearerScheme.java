package io.convoke.server.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.auth.BearerScheme;
import io.convoke.server.users.FederatedIdentity;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Bearer tokens of the issuer. The person has the role of operators that the token names, or is a
 * user. A {@code scope} claim that names scopes of ours limits the token to these, whatever the
 * role; those of operators there say nothing, because roles do.
 */
final class OidcBearerScheme implements BearerScheme {
  private final OidcConfig config;
  private final OidcTokenVerifier verifier;
  private final Function<FederatedIdentity, Optional<Long>> users;
  private final Function<Long, Optional<Set<Long>>> teamMates;

  /**
   * @param users the number of the enabled user who is this person
   * @param teamMates of a user; empty if it is disabled
   */
  OidcBearerScheme(
      OidcConfig config,
      OidcTokenVerifier verifier,
      Function<FederatedIdentity, Optional<Long>> users,
      Function<Long, Optional<Set<Long>>> teamMates) {
    this.config = config;
    this.verifier = verifier;
    this.users = users;
    this.teamMates = teamMates;
  }

  @Override
  public Optional<Caller> authenticate(String token) {
    return verifier.concerns(token)
        ? verifier.bearerToken(token).flatMap(this::caller)
        : Optional.empty();
  }

  private Optional<Caller> caller(JWTClaimsSet claims) {
    Set<ApiScope> limits = limits(claims);
    return OidcPerson.of(config, claims, config.roleNames().roleIn(claims.getClaims()))
        .flatMap(
            person ->
                users
                    .apply(person.identity())
                    .flatMap(
                        user ->
                            teamMates
                                .apply(user)
                                .map(mates -> caller(user, mates, person, limits))));
  }

  private static Caller caller(
      long user, Set<Long> mates, OidcPerson person, Set<ApiScope> limits) {
    return limits.isEmpty()
        ? Caller.ofPerson(user, person.role(), mates)
        : Caller.ofUser(user, limits, Optional.empty(), mates);
  }

  private static Set<ApiScope> limits(JWTClaimsSet claims) {
    Set<ApiScope> named = ApiScope.namedIn(claims.getClaim("scope"));
    boolean _ = named.removeAll(ApiScope.OF_OPERATORS);
    return named;
  }
}

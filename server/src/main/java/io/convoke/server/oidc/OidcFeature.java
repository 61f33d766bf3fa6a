package io.convoke.server.oidc;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.auth.BearerScheme;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.auth.SignedInPersonVerifier;
import io.convoke.server.users.UsersFeature;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Wires the identity provider: bearer tokens, sign-in, and the people of console sessions. */
public final class OidcFeature {
  private final Optional<OidcConfig> config;
  private final Optional<BearerScheme> bearerScheme;
  private final List<Endpoint> endpoints = new ArrayList<>();
  private final UsersFeature users;

  /**
   * @param config empty without an identity provider
   * @param sessions gives the console's cookie
   * @param box seals a sign-in that has begun
   */
  public OidcFeature(
      Optional<OidcConfig> config,
      UsersFeature users,
      BrowserSessions sessions,
      SecretBox box,
      InstantSource clock) {
    this.config = config;
    this.users = users;
    endpoints.add(OidcSignInEndpoints.methods(config));
    this.bearerScheme = config.map(present -> wire(present, sessions, box, clock));
  }

  private BearerScheme wire(
      OidcConfig present, BrowserSessions sessions, SecretBox box, InstantSource clock) {
    OidcHttpClient http = new OidcHttpClient();
    OidcDiscovery discovery = new OidcDiscovery(present.issuer(), http, System::nanoTime);
    OidcTokenVerifier verifier =
        new OidcTokenVerifier(present, OidcKeys.remembered(discovery, http), clock);
    endpoints.addAll(
        new OidcSignInEndpoints(
                present,
                discovery,
                new OidcCodeExchange(present, discovery, http, verifier),
                users::userOf,
                sessions,
                box,
                clock)
            .endpoints());
    return new OidcBearerScheme(present, verifier, users::userOf, users::teamMates);
  }

  /** Reads bearer tokens of the issuer. */
  public Optional<BearerScheme> bearerScheme() {
    return bearerScheme;
  }

  /** Sign-in by the issuer. */
  public List<Endpoint> endpoints() {
    return List.copyOf(endpoints);
  }

  /** Resolves the people of sessions; none of an issuer that is no longer configured. */
  public SignedInPersonVerifier personVerifier() {
    return person ->
        config
            .filter(present -> present.issuer().toString().equals(person.issuer()))
            .flatMap(_ -> users.userLinkedTo(person.issuer(), person.subject()))
            .flatMap(
                user ->
                    users
                        .teamMates(user)
                        .map(mates -> Caller.ofPerson(user, person.operatorRole(), mates)));
  }
}

package io.convoke.server.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import io.convoke.engine.json.Json;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Problem;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Exchanges the code of a sign-in for the person's tokens, at most {@value #AT_ONCE} at a time. */
final class OidcCodeExchange {
  private static final int AT_ONCE = 16;

  private final OidcConfig config;
  private final OidcDiscovery discovery;
  private final OidcHttpClient http;
  private final OidcTokenVerifier verifier;
  private final Semaphore permits = new Semaphore(AT_ONCE);

  OidcCodeExchange(
      OidcConfig config, OidcDiscovery discovery, OidcHttpClient http, OidcTokenVerifier verifier) {
    this.config = config;
    this.discovery = discovery;
    this.http = http;
    this.verifier = verifier;
  }

  /**
   * The person who signed in; empty if the issuer refuses the code, or its ID token is not good.
   *
   * @throws OidcUnavailable if the issuer does not answer, or refuses us
   * @throws Problem 429 while too many people sign in at once
   */
  Optional<OidcPerson> personOf(String code, OidcFlow flow) {
    if (!permits.tryAcquire()) {
      throw Problem.tooMany(
          "too_many_sign_ins", "Too many people sign in at once.", Duration.ofSeconds(1));
    }
    try {
      return tokens(code, flow).flatMap(tokens -> person(tokens, flow));
    } finally {
      permits.release();
    }
  }

  private Optional<JsonNode> tokens(String code, OidcFlow flow) {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("grant_type", "authorization_code");
    form.put("code", code);
    form.put("redirect_uri", flow.redirectUri());
    form.put("code_verifier", flow.codeVerifier());
    form.put("client_id", config.clientId());
    return http.post(
            discovery.metadata().tokenEndpoint(), form, config.clientId(), config.clientSecret())
        .map(OidcCodeExchange::parsed);
  }

  private static JsonNode parsed(String text) {
    try {
      return Json.read(text);
    } catch (JacksonException e) {
      throw new OidcUnavailable("the token endpoint answers no JSON", e);
    }
  }

  private Optional<OidcPerson> person(JsonNode tokens, OidcFlow flow) {
    return verifier
        .idToken(tokens.path("id_token").asString(""), flow.nonce())
        .flatMap(claims -> OidcPerson.of(config, claims, role(claims, tokens)));
  }

  /** Some issuers, Keycloak among them, write roles into the access token alone. */
  private Optional<OperatorRole> role(JWTClaimsSet identity, JsonNode tokens) {
    return config
        .roleNames()
        .roleIn(identity.getClaims())
        .or(
            () ->
                verifier
                    .accessToken(tokens.path("access_token").asString(""), identity.getSubject())
                    .flatMap(claims -> config.roleNames().roleIn(claims.getClaims())));
  }
}

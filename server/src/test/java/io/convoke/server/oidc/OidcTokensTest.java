package io.convoke.server.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jwt.JWTClaimsSet;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Problem;
import io.convoke.server.http.auth.BearerScheme;
import io.convoke.server.oidc.TestIssuer.SigningKey;
import io.convoke.server.users.FederatedIdentity;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.NullNode;

/** Which bearer tokens of an OpenID Connect issuer authenticate a person, and as what. */
class OidcTokensTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");
  private static final long SOON = NOW.plusSeconds(60).getEpochSecond();
  private static final String CLIENT = "convoke";

  private final TestIssuer issuer = TestIssuer.start();
  private final List<FederatedIdentity> seen = new ArrayList<>();
  private final BearerScheme bearer = bearer("realm_access.roles");

  @AfterEach
  void stop() {
    issuer.close();
  }

  private OidcConfig config(String rolesClaim) {
    return new OidcConfig(
        URI.create(issuer.url()),
        CLIENT,
        Optional.empty(),
        CLIENT,
        new OidcRoleNames(rolesClaim, "convoke-viewer", "convoke-operator", "convoke-admin"),
        "issuer",
        Duration.ofHours(8));
  }

  private BearerScheme bearer(String rolesClaim) {
    OidcConfig config = config(rolesClaim);
    OidcHttpClient http = new OidcHttpClient();
    OidcDiscovery discovery = new OidcDiscovery(config.issuer(), http, System::nanoTime);
    return new OidcBearerScheme(
        config,
        new OidcTokenVerifier(
            config, OidcKeys.remembered(discovery, http), InstantSource.fixed(NOW)),
        identity -> {
          seen.add(identity);
          return identity.subject().equals("nobody") ? Optional.empty() : Optional.of(7L);
        },
        user -> Optional.of(Set.of()));
  }

  private Map<String, Object> claims() {
    return issuer.claims("ann", CLIENT, SOON);
  }

  private Map<String, Object> claims(String name, Object value) {
    Map<String, Object> claims = claims();
    claims.put(name, value);
    return claims;
  }

  private Optional<Caller> callerOf(Map<String, Object> claims) {
    return bearer.authenticate(issuer.token(claims));
  }

  @Test
  void tokensByEachPublishedKeyAuthenticate() {
    SigningKey rsa = issuer.key("r1");
    assertThat(bearer.authenticate(TestIssuer.token("RS256", rsa, claims())))
        .contains(new Caller.UserCaller(7));
    assertThat(bearer.authenticate(TestIssuer.token("PS256", rsa, claims()))).isPresent();
    assertThat(bearer.authenticate(TestIssuer.token("ES256", issuer.key("e1"), claims())))
        .isPresent();
    assertThat(issuer.keyReads()).isEqualTo(1);
  }

  @Test
  void otherAlgorithmsAreRefused() throws Exception {
    SigningKey rsa = issuer.key("r1");
    assertThat(bearer.authenticate(TestIssuer.token("RS512", rsa, claims()))).isEmpty();
    assertThat(bearer.authenticate(TestIssuer.unsigned("none", "r1", claims()) + ".")).isEmpty();
    // The public key is no secret: with HS256 it would sign tokens for everybody.
    byte[] published = rsa.pair().getPublic().getEncoded();
    String pem =
        "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(published)
            + "\n-----END PUBLIC KEY-----\n";
    for (byte[] secret : List.of(published, pem.getBytes(StandardCharsets.US_ASCII))) {
      String text = TestIssuer.unsigned("HS256", "r1", claims());
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      String signature =
          Base64.getUrlEncoder()
              .withoutPadding()
              .encodeToString(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
      assertThat(bearer.authenticate(text + "." + signature)).isEmpty();
    }
    assertThat(seen).isEmpty();
  }

  @Test
  void aForeignKeyUnderAKnownNameAndADamagedSignatureAreRefused() {
    SigningKey foreign = new SigningKey("r1", SigningKey.rsa("foreign").pair());
    assertThat(bearer.authenticate(TestIssuer.token("RS256", foreign, claims()))).isEmpty();
    String good = issuer.token(claims());
    String body = TestIssuer.unsigned("RS256", "r1", claims("sub", "bob"));
    assertThat(bearer.authenticate(body + good.substring(good.lastIndexOf('.')))).isEmpty();
    assertThat(bearer.authenticate(good)).isPresent();
  }

  @Test
  void wrongIssuersAudiencesAndTimesAreRefused() {
    assertThat(callerOf(claims("iss", issuer.url() + "/other"))).isEmpty();
    assertThat(callerOf(claims("aud", "account"))).isEmpty();
    assertThat(callerOf(claims("aud", List.of("account", CLIENT)))).isPresent();
    assertThat(callerOf(claims("exp", NOW.minusSeconds(6).getEpochSecond()))).isEmpty();
    assertThat(callerOf(claims("exp", NOW.minusSeconds(3).getEpochSecond())))
        .as("within the skew of clocks")
        .isPresent();
    assertThat(callerOf(claims("nbf", NOW.plusSeconds(30).getEpochSecond()))).isEmpty();
    for (String needed : List.of("iss", "sub", "aud", "exp")) {
      Map<String, Object> claims = claims();
      Object _ = claims.remove(needed);
      assertThat(callerOf(claims)).as("without " + needed).isEmpty();
      assertThat(callerOf(claims(needed, NullNode.instance))).as(needed + " null").isEmpty();
    }
    assertThat(bearer.authenticate("a.b.c")).isEmpty();
    assertThat(bearer.authenticate("cvk_something")).isEmpty();
  }

  @Test
  void aTokenOfAnotherTypeIsRefused() {
    String token = issuer.token(claims());
    assertThat(bearer.authenticate(token)).isPresent();
    Map<String, Object> claims = claims();
    assertThat(bearer.authenticate(TestIssuer.typed("logout+jwt", issuer.key("r1"), claims)))
        .isEmpty();
    for (String type : List.of("at+jwt", "application/at+jwt")) {
      assertThat(bearer.authenticate(TestIssuer.typed(type, issuer.key("r1"), claims)))
          .as(type)
          .isPresent();
    }
  }

  @Test
  void anUnknownKeyIsReadOnceAndGuessesDoNotReachTheIssuer() {
    assertThat(callerOf(claims())).isPresent();
    SigningKey rotated = SigningKey.rsa("r2");
    issuer.publish(rotated);
    assertThat(bearer.authenticate(TestIssuer.token("RS256", rotated, claims()))).isPresent();
    int reads = issuer.keyReads();
    assertThat(reads).isEqualTo(2);
    for (int i = 0; i < 50; i++) {
      String guess = TestIssuer.unsigned("RS256", "guess" + i, claims()) + ".c2ln";
      assertThat(bearer.authenticate(guess)).isEmpty();
    }
    assertThat(issuer.keyReads()).isLessThanOrEqualTo(reads + 1);
    assertThat(bearer.authenticate(TestIssuer.token("RS256", rotated, claims()))).isPresent();
  }

  @Test
  void knownKeysCountWhileTheIssuerIsAwayAndUnknownOnesDoNot() {
    assertThat(callerOf(claims())).isPresent();
    issuer.away(true);
    assertThat(callerOf(claims())).isPresent();
    SigningKey unknown = SigningKey.rsa("r2");
    assertThat(bearer.authenticate(TestIssuer.token("RS256", unknown, claims()))).isEmpty();
    assertThat(callerOf(claims())).isPresent();
  }

  @Test
  void anIssuerThatWasNeverReadRefusesAll() {
    issuer.away(true);
    assertThatThrownBy(() -> callerOf(claims()))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.status()).isEqualTo(503));
    assertThat(callerOf(claims("iss", "https://elsewhere.example"))).as("not ours").isEmpty();
    assertThat(seen).isEmpty();
  }

  /** The keys are read twice in ten seconds at most: that makes no good token a wrong one. */
  @Test
  void whileNoKeyIsKnownEveryTokenIs503() {
    issuer.away(true);
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> callerOf(claims()))
          .as("request %d", i)
          .isInstanceOfSatisfying(
              Problem.class, problem -> assertThat(problem.status()).isEqualTo(503));
    }
    assertThat(seen).isEmpty();
  }

  @Test
  void aDiscoveryDocumentOfAnotherIssuerIsRefused() {
    issuer.discovers("issuer", "https://elsewhere.example");
    assertThatThrownBy(() -> callerOf(claims())).isInstanceOf(Problem.class);
    assertThat(issuer.keyReads()).isZero();
  }

  @Test
  void theHighestRoleOfTheClaimCounts() {
    assertThat(role(Map.of("roles", List.of("offline_access", "convoke-viewer"))))
        .contains(OperatorRole.VIEWER);
    assertThat(role(Map.of("roles", List.of("convoke-operator", "convoke-viewer"))))
        .contains(OperatorRole.OPERATOR);
    assertThat(role(Map.of("roles", List.of("convoke-viewer", "convoke-admin"))))
        .contains(OperatorRole.ADMIN);
    assertThat(role(Map.of("roles", List.of("admin", "Convoke-Admin", "xconvoke-admin"))))
        .isEmpty();
    assertThat(role(Map.of("roles", 7))).isEmpty();
    assertThat(role("convoke-admin")).as("no object").isEmpty();
    assertThat(seen.getFirst().operates()).isTrue();
    assertThat(seen.getLast().operates()).isFalse();
  }

  @Test
  void theRolesClaimMayBeAPlainOrADottedName() {
    Map<String, Object> groups = claims("groups", List.of("convoke-operator"));
    assertThat(bearer("groups").authenticate(issuer.token(groups)).orElseThrow().operatorRole())
        .contains(OperatorRole.OPERATOR);
    Map<String, Object> dotted = claims("https://example.org/roles", "convoke-admin");
    assertThat(
            bearer("https://example.org/roles")
                .authenticate(issuer.token(dotted))
                .orElseThrow()
                .operatorRole())
        .contains(OperatorRole.ADMIN);
  }

  @Test
  void anEmptyNameOfARoleIsGivenToNobody() {
    OidcRoleNames names = new OidcRoleNames("roles", "convoke-viewer", "", "");
    assertThat(names.roleIn(Map.of("roles", ""))).isEmpty();
    assertThat(names.roleIn(Map.of("roles", List.of("", "convoke-viewer"))))
        .contains(OperatorRole.VIEWER);
  }

  private Optional<OperatorRole> role(Object realmAccess) {
    return callerOf(claims("realm_access", realmAccess)).orElseThrow().operatorRole();
  }

  @Test
  void aScopeClaimLimitsATokenWhateverTheRole() {
    Map<String, Object> claims = claims("realm_access", Map.of("roles", List.of("convoke-admin")));
    claims.put("scope", "openid read");
    assertThat(callerOf(claims))
        .contains(new Caller.UserCaller(7, Set.of(ApiScope.READ), Optional.empty(), Set.of()));
    claims.put("scope", "openid email");
    assertThat(callerOf(claims).orElseThrow().operatorRole()).contains(OperatorRole.ADMIN);
    assertThat(callerOf(claims("scope", "viewer operator admin")))
        .contains(new Caller.UserCaller(7));
    claims.put("scope", List.of("openid", "read"));
    assertThat(callerOf(claims))
        .as("a list")
        .contains(new Caller.UserCaller(7, Set.of(ApiScope.READ), Optional.empty(), Set.of()));
  }

  @Test
  void onlyAVerifiedAddressIsHandedOn() {
    Map<String, Object> claims = claims("email", "ann@example.org");
    assertThat(callerOf(claims)).isPresent();
    assertThat(seen.getLast().verifiedEmail()).isEmpty();
    claims.put("email_verified", true);
    claims.put("preferred_username", "ann");
    assertThat(callerOf(claims)).isPresent();
    assertThat(seen.getLast())
        .isEqualTo(
            new FederatedIdentity(
                issuer.url(), "ann", Optional.of("ann@example.org"), Optional.of("ann"), false));
    assertThat(callerOf(claims("sub", "nobody"))).as("no user").isEmpty();
  }

  /** Postgres refuses NUL, and two halves of characters would be one person. */
  @Test
  void whatCannotBeStoredIsNoPersonNoAddressAndNoName() {
    OidcConfig config = config("roles");
    for (String wrong : List.of("\0", "\ud800", "\udc00")) {
      JWTClaimsSet.Builder claims =
          new JWTClaimsSet.Builder()
              .subject("ann")
              .claim("email", "ann" + wrong + "@example.org")
              .claim("email_verified", true)
              .claim("name", "Ann" + wrong);
      assertThat(OidcPerson.of(config, claims.build(), Optional.empty()))
          .map(OidcPerson::identity)
          .contains(
              new FederatedIdentity(
                  issuer.url(), "ann", Optional.empty(), Optional.empty(), false));
      assertThat(OidcPerson.of(config, claims.subject("ann" + wrong).build(), Optional.empty()))
          .isEmpty();
    }
    assertThat(callerOf(claims("sub", "ann\0"))).isEmpty();
  }
}

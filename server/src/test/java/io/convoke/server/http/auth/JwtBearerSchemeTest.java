package io.convoke.server.http.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Problem;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which JWTs authenticate a user. */
@SuppressWarnings("JavaUtilDate") // the JWT library's own type
class JwtBearerSchemeTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");

  private final JwtBearerScheme bearer =
      new JwtBearerScheme(
          terms(Optional.empty(), Optional.empty()),
          id -> id == 7 ? Optional.of(Set.of()) : Optional.empty(),
          InstantSource.fixed(NOW));

  private static JwtConfig terms(Optional<String> audience, Optional<String> issuer) {
    return new JwtConfig(Optional.of(SECRET), Optional.empty(), audience, issuer);
  }

  private static JWTClaimsSet.Builder claims(String subject) {
    return new JWTClaimsSet.Builder()
        .subject(subject)
        .expirationTime(Date.from(NOW.plusSeconds(60)));
  }

  private static String signed(JWTClaimsSet claims) throws Exception {
    return signed(claims, JWSAlgorithm.HS256, "", new MACSigner(SECRET));
  }

  private static String signed(
      JWTClaimsSet claims, JWSAlgorithm algorithm, String kid, JWSSigner signer) throws Exception {
    return signed(claims, new JWSHeader.Builder(algorithm).keyID(kid).build(), signer);
  }

  private static String signed(JWTClaimsSet claims, JWSHeader header, JWSSigner signer)
      throws Exception {
    SignedJWT jwt = new SignedJWT(header, claims);
    jwt.sign(signer);
    return jwt.serialize();
  }

  private static String typed(String type) throws Exception {
    return signed(
        claims("7").build(),
        new JWSHeader.Builder(JWSAlgorithm.HS256).type(new JOSEObjectType(type)).build(),
        new MACSigner(SECRET));
  }

  @Test
  void a_valid_token_authenticates_its_user() throws Exception {
    assertThat(bearer.authenticate(signed(claims("7").build()))).contains(new Caller.UserCaller(7));
  }

  /** RFC 9068 names access tokens so, with and without the prefix of media types. */
  @Test
  void an_access_token_authenticates_by_either_of_its_types_and_other_types_do_not()
      throws Exception {
    for (String type : List.of("JWT", "at+jwt", "AT+JWT", "application/at+jwt")) {
      assertThat(bearer.authenticate(typed(type))).as(type).contains(new Caller.UserCaller(7));
    }
    for (String type : List.of("logout+jwt", "secevent+jwt")) {
      assertThat(bearer.authenticate(typed(type))).as(type).isEmpty();
    }
  }

  @Test
  void a_token_with_a_missing_or_wrong_claim_authenticates_no_user() throws Exception {
    JWTClaimsSet good = claims("7").build();
    assertThat(bearer.authenticate(signed(claims("8").build()))).as("unknown user").isEmpty();
    assertThat(bearer.authenticate(signed(claims("ann").build()))).as("no number").isEmpty();
    assertThat(bearer.authenticate(signed(new JWTClaimsSet.Builder().subject("7").build())))
        .as("no exp")
        .isEmpty();
    assertThat(
            bearer.authenticate(
                signed(claims("7").expirationTime(Date.from(NOW.minusSeconds(10))).build())))
        .as("expired")
        .isEmpty();
    assertThat(
            bearer.authenticate(
                signed(claims("7").notBeforeTime(Date.from(NOW.plusSeconds(30))).build())))
        .as("not yet")
        .isEmpty();
    assertThat(bearer.authenticate(new PlainJWT(good).serialize())).as("unsigned").isEmpty();
    assertThat(
            bearer.authenticate(
                signed(good, JWSAlgorithm.HS256, "", new MACSigner("x".repeat(32)))))
        .as("other secret")
        .isEmpty();
    assertThat(bearer.authenticate(signed(good) + "x")).as("damaged").isEmpty();
    assertThat(bearer.authenticate("a.b.c")).as("rubbish").isEmpty();
    assertThat(bearer.authenticate("cvk_something")).as("no JWT").isEmpty();
  }

  /** A claim that is null is not there: such a token would never end. */
  @Test
  void a_token_whose_exp_or_sub_is_null_authenticates_no_user() throws Exception {
    JWTClaimsSet forever = claims("7").expirationTime(null).serializeNullClaims(true).build();
    JWTClaimsSet unnamed = claims("7").subject(null).serializeNullClaims(true).build();
    assertThat(forever.toString()).contains("\"exp\":null");
    assertThat(unnamed.toString()).contains("\"sub\":null");
    assertThat(bearer.authenticate(signed(forever))).isEmpty();
    assertThat(bearer.authenticate(signed(unnamed))).isEmpty();
  }

  @Test
  void audience_and_issuer_are_checked_where_configured() throws Exception {
    JwtBearerScheme strict =
        new JwtBearerScheme(
            terms(Optional.of("convoke"), Optional.of("us")),
            _ -> Optional.of(Set.of()),
            InstantSource.fixed(NOW));

    assertThat(strict.authenticate(signed(claims("7").build()))).isEmpty();
    assertThat(strict.authenticate(signed(claims("7").audience("convoke").issuer("them").build())))
        .isEmpty();
    assertThat(strict.authenticate(signed(claims("7").audience("convoke").issuer("us").build())))
        .contains(new Caller.UserCaller(7));
  }

  @Test
  void a_secret_too_short_for_hs256_is_refused() {
    JwtConfig weak =
        new JwtConfig(Optional.of("short"), Optional.empty(), Optional.empty(), Optional.empty());
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new JwtBearerScheme(weak, _ -> Optional.of(Set.of()), InstantSource.system()))
        .withMessageNotContaining("short\"");
  }

  @Test
  void published_keys_work_for_rs256_and_es256_alone() throws Exception {
    var rsa = new RSAKeyGenerator(2048).keyID("r").generate();
    var ec = new ECKeyGenerator(Curve.P_256).keyID("e").generate();
    byte[] keys = new JWKSet(List.of(rsa, ec)).toString(true).getBytes(StandardCharsets.UTF_8);
    HttpServer issuer =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    issuer.createContext(
        "/keys",
        exchange -> {
          exchange.sendResponseHeaders(200, keys.length);
          exchange.getResponseBody().write(keys);
          exchange.close();
        });
    issuer.start();
    try {
      URI url = URI.create("http://127.0.0.1:" + issuer.getAddress().getPort() + "/keys");
      JwtBearerScheme byKeys =
          new JwtBearerScheme(
              new JwtConfig(Optional.empty(), Optional.of(url), Optional.empty(), Optional.empty()),
              _ -> Optional.of(Set.of()),
              InstantSource.fixed(NOW));
      JWTClaimsSet good = claims("7").build();

      assertThat(byKeys.authenticate(signed(good, JWSAlgorithm.RS256, "r", new RSASSASigner(rsa))))
          .contains(new Caller.UserCaller(7));
      assertThat(byKeys.authenticate(signed(good, JWSAlgorithm.ES256, "e", new ECDSASigner(ec))))
          .contains(new Caller.UserCaller(7));
      assertThat(byKeys.authenticate(signed(good, JWSAlgorithm.RS512, "r", new RSASSASigner(rsa))))
          .isEmpty();
      assertThat(byKeys.authenticate(signed(good))).as("HS256 is not for published keys").isEmpty();
    } finally {
      issuer.stop(0);
    }
  }

  /** The keys are read twice in half a minute at most: that makes no good token a wrong one. */
  @Test
  void while_no_published_key_is_known_every_token_is_503() throws Exception {
    URI away = URI.create("http://127.0.0.1:1/keys");
    JwtBearerScheme byKeys =
        new JwtBearerScheme(
            new JwtConfig(Optional.empty(), Optional.of(away), Optional.empty(), Optional.empty()),
            _ -> Optional.of(Set.of()),
            InstantSource.fixed(NOW));
    var ec = new ECKeyGenerator(Curve.P_256).keyID("e").generate();
    String good = signed(claims("7").build(), JWSAlgorithm.ES256, "e", new ECDSASigner(ec));
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> byKeys.authenticate(good))
          .as("request %d", i)
          .isInstanceOfSatisfying(
              Problem.class, problem -> assertThat(problem.status()).isEqualTo(503));
    }
  }

  @Test
  void a_scope_claim_limits_a_token_where_it_names_scopes_of_ours() throws Exception {
    assertThat(scopes("read tasks")).containsExactlyInAnyOrder(ApiScope.READ, ApiScope.TASKS);
    assertThat(scopes("openid bots email")).containsExactly(ApiScope.BOTS);
    assertThat(scopes("openid email")).isEqualTo(ApiScope.UNLESS_NAMED);
    assertThat(scopes("")).isEqualTo(ApiScope.UNLESS_NAMED);
    assertThat(scopes("read admin")).as("of any audience").containsExactly(ApiScope.READ);
    assertThat(scopes("viewer operator")).isEqualTo(ApiScope.UNLESS_NAMED);
  }

  /** Some issuers write a list: what it names is a limit too. */
  @Test
  void a_scope_claim_that_is_a_list_limits_a_token() throws Exception {
    assertThat(scopes(List.of("openid", "read", "tasks")))
        .containsExactlyInAnyOrder(ApiScope.READ, ApiScope.TASKS);
    assertThat(scopes(List.of("openid read"))).containsExactly(ApiScope.READ);
    assertThat(scopes(List.of("openid", 7))).isEqualTo(ApiScope.UNLESS_NAMED);
    assertThat(scopes(7)).isEqualTo(ApiScope.UNLESS_NAMED);
  }

  @Test
  void the_scope_admin_makes_an_operator_where_tokens_name_their_audience() throws Exception {
    JwtBearerScheme audience =
        new JwtBearerScheme(
            terms(Optional.of("convoke"), Optional.empty()),
            id -> id == 7 ? Optional.of(Set.of()) : Optional.empty(),
            InstantSource.fixed(NOW));
    assertThat(
            audience.authenticate(
                signed(claims("7").audience("convoke").claim("scope", "operator").build())))
        .contains(new Caller.UserCaller(7));
    assertThat(
            audience.authenticate(
                signed(claims("7").audience("convoke").claim("scope", "admin").build())))
        .contains(
            new Caller.AdminCaller(
                Optional.of(new Caller.NamedOperator(7, Optional.empty())), OperatorRole.ADMIN));
  }

  private Set<ApiScope> scopes(Object claim) throws Exception {
    return ((Caller.UserCaller)
            bearer.authenticate(signed(claims("7").claim("scope", claim).build())).orElseThrow())
        .scopes();
  }
}

package io.convoke.server.http.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TestServer;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A browser signs in, asks by its cookie, and signs out; other sites get nothing by it. */
class BrowserSessionTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");
  private static final Schema SCOPE = Schema.object().required("scope", Schema.text());

  private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
  private TestServer server;
  private ContractClient browser;

  @BeforeEach
  void start() {
    JwtConfig terms =
        new JwtConfig(Optional.of(SECRET), Optional.empty(), Optional.empty(), Optional.empty());
    server =
        TestServer.of(
            List.of(
                things(Endpoint.get("/things").id("getThings"), CallerRole.USER),
                things(Endpoint.post("/things").id("postThings"), CallerRole.USER),
                things(Endpoint.delete("/things").id("deleteThings"), CallerRole.USER),
                things(Endpoint.get("/all").id("getAll"), CallerRole.ADMIN)),
            List.of(
                new JwtBearerScheme(
                    terms, id -> id == 7 ? Optional.of(Set.of()) : Optional.empty(), now::get)),
            new BrowserSessions(SecretBox.of(SecretBox.newKey()), now::get));
    browser = server.anonymous().with("X-Convoke-CSRF", "1");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Endpoint things(Endpoint.Builder endpoint, CallerRole callerRole) {
    Endpoint.Builder named = endpoint.tag("test").summary("Who asks.").roles(callerRole);
    return (callerRole == CallerRole.USER ? named.scope(ApiScope.MEETINGS) : named)
        .answers(200, SCOPE)
        .handle(request -> Response.ok(Map.of("scope", request.caller().scope())));
  }

  private static String cookie(Answered answered) {
    return answered.header("Set-Cookie").split(";", 2)[0];
  }

  private String userCookie() {
    return cookie(browser.post("/session", Map.of("api_key", "user-7")).expect(200));
  }

  private static String scope(Answered answered) {
    return answered.expect(200).json().path("scope").asString();
  }

  @SuppressWarnings("JavaUtilDate") // the JWT library's own type
  private static String jwt(String subject, Instant exp) throws Exception {
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder().subject(subject).expirationTime(Date.from(exp)).build();
    SignedJWT jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
    jwt.sign(new MACSigner(SECRET));
    return jwt.serialize();
  }

  @Test
  void a_session_has_the_caller_who_signed_in() {
    Answered user = browser.post("/session", Map.of("api_key", "user-7")).expect(200);
    assertThat(user.json().path("role").asString()).isEqualTo("user");
    assertThat(user.json().path("user_id").asLong()).isEqualTo(7);
    assertThat(user.json().path("expires_at").asString()).isEqualTo("2026-03-01T21:00:00.000Z");
    ContractClient signedIn = browser.with("Cookie", "theme=dark; " + cookie(user));
    assertThat(signedIn.get("/session").expect(200).body()).isEqualTo(user.body());
    assertThat(scope(signedIn.get("/things"))).isEqualTo("user:7");
    assertThat(scope(signedIn.post("/things"))).isEqualTo("user:7");
    signedIn.get("/all").expect(403, "scope_missing");

    Answered admin = browser.post("/session", Map.of("admin_key", TestServer.ADMIN)).expect(200);
    assertThat(admin.json().path("role").asString()).isEqualTo("admin");
    assertThat(admin.json().path("user_id").isNull()).isTrue();
    assertThat(scope(browser.with("Cookie", cookie(admin)).get("/all"))).isEqualTo("admin");
  }

  @Test
  void the_cookie_is_for_this_host_alone_and_out_of_reach_of_scripts() {
    Map<String, String> key = Map.of("api_key", "user-7");
    String plain = browser.post("/session", key).header("Set-Cookie");
    assertThat(plain)
        .startsWith("convoke=")
        .endsWith("; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict")
        .doesNotContain("user-7");

    ContractClient byHttps = browser.with("X-Forwarded-Proto", "https");
    Answered answered = byHttps.post("/session", key).expect(200);
    assertThat(answered.header("Set-Cookie"))
        .startsWith("__Host-convoke=")
        .endsWith("; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict; Secure");
    assertThat(answered.header("Cache-Control")).contains("no-store");
    assertThat(scope(byHttps.with("Cookie", cookie(answered)).get("/things"))).isEqualTo("user:7");
    byHttps.with("Cookie", plain.split(";", 2)[0]).get("/things").expect(401);
    browser.with("Cookie", cookie(answered)).get("/things").expect(401);
  }

  @Test
  void exactly_one_valid_credential_of_a_person_signs_in() throws Exception {
    browser.post("/session", Map.of()).expect(400);
    browser.post("/session", Map.of("api_key", "user-7", "jwt", "x")).expect(400);
    browser.post("/session", Map.of("api_key", "x".repeat(3000))).expect(400);
    for (Map<String, String> wrong :
        List.of(
            Map.of("api_key", "nobody"),
            Map.of("admin_key", "user-7"),
            Map.of("api_key", TestServer.ADMIN),
            Map.of("jwt", TestServer.INTERNAL),
            Map.of("jwt", "bot-42"),
            Map.of("jwt", jwt("8", NOW.plusSeconds(60))),
            Map.of("jwt", jwt("7", NOW.minusSeconds(2))))) {
      Answered refused = browser.post("/session", wrong).expect(401, "unauthorized");
      assertThat(refused.header("Set-Cookie")).as(wrong.toString()).isEmpty();
    }
  }

  @Test
  void the_longest_credential_still_fits_into_a_cookie() throws Exception {
    String jwt = jwt("7", NOW.plusSeconds(60));
    String padded = " ".repeat(2900 - jwt.length()) + jwt;
    Answered answered =
        browser
            .with("X-Forwarded-Proto", "https")
            .post("/session", Map.of("jwt", padded))
            .expect(200);
    assertThat(cookie(answered).length()).isBetween(3800, 4096);
  }

  @Test
  void a_jwts_session_ends_with_the_jwt() throws Exception {
    Answered answered =
        browser.post("/session", Map.of("jwt", jwt("7", NOW.plusSeconds(90)))).expect(200);
    assertThat(answered.header("Set-Cookie")).contains("; Max-Age=90;");
    ContractClient signedIn = browser.with("Cookie", cookie(answered));

    now.set(NOW.plusSeconds(89));
    assertThat(scope(signedIn.get("/things"))).isEqualTo("user:7");
    now.set(NOW.plusSeconds(90));
    signedIn.get("/things").expect(401);
  }

  @Test
  void a_session_ends_after_twelve_hours() {
    ContractClient signedIn = browser.with("Cookie", userCookie());
    now.set(NOW.plusSeconds(12 * 3600 - 1));
    signedIn.get("/things").expect(200);
    now.set(NOW.plusSeconds(12 * 3600));
    signedIn.get("/things").expect(401);
    signedIn.post("/things").expect(401);
  }

  @Test
  void a_cookie_that_this_server_did_not_seal_is_401() {
    String sealed = userCookie();
    for (String cookie :
        List.of(
            "convoke=", "convoke=x", "convoke", "convoke=%00", sealed + "A", "; ;=", "other=1")) {
      browser.with("Cookie", cookie).get("/things").expect(401);
      browser.with("Cookie", cookie).post("/things").expect(401);
    }
    assertThat(scope(browser.with("Cookie", "convoke=x; " + sealed).get("/things")))
        .isEqualTo("user:7");
  }

  @Test
  void a_change_by_cookie_comes_from_a_page_of_this_server() {
    String cookie = userCookie();
    ContractClient unmarked = server.anonymous().with("Cookie", cookie);
    unmarked.post("/things").expect(403, "csrf");
    unmarked.delete("/things").expect(403, "csrf");
    unmarked.with("Sec-Fetch-Site", "same-origin").post("/things").expect(403, "csrf");

    ContractClient marked = browser.with("Cookie", cookie);
    marked.with("Sec-Fetch-Site", "cross-site").post("/things").expect(403, "csrf");
    marked.with("Sec-Fetch-Site", "same-site").delete("/things").expect(403, "csrf");
    marked.with("Origin", "http://elsewhere.example").post("/things").expect(403, "csrf");
    marked.with("Origin", server.url()).post("/things").expect(200);
    marked.with("Sec-Fetch-Site", "same-origin").delete("/things").expect(200);
  }

  @Test
  void other_sites_read_nothing_by_cookie() {
    ContractClient signedIn = server.anonymous().with("Cookie", userCookie());
    signedIn.get("/things").expect(200);
    signedIn.with("Sec-Fetch-Site", "none").get("/things").expect(200);
    signedIn.with("Sec-Fetch-Site", "cross-site").get("/things").expect(403, "csrf");
    signedIn.with("Sec-Fetch-Site", "same-site").get("/things").expect(403, "csrf");
  }

  @Test
  void a_caller_with_a_header_is_not_checked_for_its_origin() {
    ContractClient user = server.user(7).with("Sec-Fetch-Site", "cross-site");
    user.get("/things").expect(200);
    user.post("/things").expect(200);
    Answered who = user.get("/session").expect(200);
    assertThat(who.json().path("user_id").asLong()).isEqualTo(7);
    assertThat(who.json().path("expires_at").isNull()).isTrue();

    ContractClient both = server.user(8).with("Cookie", userCookie());
    assertThat(scope(both.post("/things"))).isEqualTo("user:8");
    server
        .anonymous()
        .with("X-API-Key", "x")
        .with("Cookie", userCookie())
        .get("/things")
        .expect(401);
  }

  @Test
  void another_site_cannot_sign_in_or_out() {
    Map<String, String> key = Map.of("api_key", "user-7");
    server.anonymous().post("/session", key).expect(403, "csrf");
    browser.with("Sec-Fetch-Site", "cross-site").post("/session", key).expect(403, "csrf");
    browser.with("Origin", "http://elsewhere.example").post("/session", key).expect(403, "csrf");
    server.anonymous().delete("/session").expect(403, "csrf");
    browser.with("Sec-Fetch-Site", "same-site").delete("/session").expect(403, "csrf");
    browser.with("Origin", server.url()).post("/session", key).expect(200);
  }

  @Test
  void signing_out_clears_the_cookie_whatever_its_value() {
    for (String cookie : List.of(userCookie(), "convoke=x", "other=1")) {
      Answered answered = browser.with("Cookie", cookie).delete("/session").expect(204);
      assertThat(answered.header("Set-Cookie"))
          .isEqualTo("convoke=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict");
    }
    assertThat(
            browser
                .with("X-Forwarded-Proto", "https")
                .delete("/session")
                .expect(204)
                .header("Set-Cookie"))
        .isEqualTo("__Host-convoke=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure");
    browser.get("/session").expect(401);
  }
}

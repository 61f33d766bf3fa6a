package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.convoke.engine.json.Json;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.launch.Await;
import io.convoke.server.oidc.TestIssuer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * People of an identity provider: which user they are, what the roles of operators permit, and how
 * they sign in to the console.
 */
class IdentityProviderTest {
  private static final Duration BOUND = Duration.ofSeconds(5);

  /** What neither a viewer nor an operator may do. */
  private static final Set<String> FOR_ADMINS =
      Set.of(
          "createUser",
          "changeUser",
          "issueToken",
          "revokeToken",
          "createTeam",
          "changeTeam",
          "deleteTeam",
          "addTeamMember",
          "removeTeamMember",
          "assignRoom",
          "releaseRoom",
          "trackRoom",
          "createWebhookEndpoint",
          "deleteWebhookEndpoint",
          "repairRecordings");

  /** What servers log about the provider. */
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @TempDir private static Path folder;
  private static TestIssuer issuer;
  private static TwoNodes nodes;
  private static ContractClient admin;

  @BeforeAll
  static void start() {
    issuer = TestIssuer.start();
    nodes =
        TwoNodes.start(
            folder,
            Map.of(
                "CONVOKE_OIDC_ISSUER",
                issuer.url(),
                "CONVOKE_OIDC_CLIENT_ID",
                "convoke",
                "CONVOKE_OIDC_CLIENT_SECRET",
                "s3cr:t",
                "CONVOKE_OIDC_NAME",
                "Example ID"));
    admin = nodes.admin();
    issuer.register("convoke", "s3cr:t", nodes.one().url() + "/session/oidc/callback");
  }

  @BeforeEach
  void openLog() {
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void closeLog() {
    boolean _ = logger().detachAppender(log);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(TestIssuer.class.getPackageName());
  }

  @AfterAll
  static void stop() {
    nodes.close();
    issuer.close();
  }

  private static Map<String, Object> claims(String subject, String... roles) {
    Map<String, Object> claims =
        issuer.claims(subject, "convoke", Instant.now().plusSeconds(600).getEpochSecond());
    claims.put("realm_access", Map.of("roles", List.of(roles)));
    return claims;
  }

  private static String bearer(Map<String, Object> claims) {
    return "Bearer " + issuer.token(claims);
  }

  private static ContractClient person(String subject, String... roles) {
    return nodes.one().with("Authorization", bearer(claims(subject, roles)));
  }

  private static JsonNode me(ContractClient caller) {
    return caller.get("/session").expect(200).json();
  }

  /** Each route with each role: refused exactly where the rule above says so. */
  @Test
  void everyRouteNeedsItsRole() {
    List<DocumentedOperation> operations = DocumentedOperation.of(admin);
    assertThat(operations).hasSizeGreaterThan(60);
    assertThat(operations.stream().map(DocumentedOperation::id)).containsAll(FOR_ADMINS);
    Map<OperatorRole, ContractClient> people = new EnumMap<>(OperatorRole.class);
    for (OperatorRole role : OperatorRole.values()) {
      String name = role.name().toLowerCase(Locale.ROOT);
      people.put(role, person("walking-" + name, "convoke-" + name));
    }
    List<String> wrong = new ArrayList<>();
    for (DocumentedOperation operation : operations) {
      boolean forOperators = operation.securitySchemes().contains("adminKey");
      OperatorRole needed = roleNeeded(operation);
      assertThat(operation.description().path("x-convoke-operator-role").asString(""))
          .as(operation.id())
          .isEqualTo(forOperators ? needed.name().toLowerCase(Locale.ROOT) : "");
      people.forEach(
          (role, caller) -> {
            Answered answered = operation.call(caller);
            boolean refused = answered.status() == 403 && answered.code().equals("role_missing");
            boolean permitted = !forOperators || role.compareTo(needed) >= 0;
            if (refused == permitted || answered.status() >= 500) {
              boolean _ = wrong.add(operation.id() + " as " + role + ": " + answered.status());
            }
          });
    }
    assertThat(wrong).isEmpty();
  }

  private static OperatorRole roleNeeded(DocumentedOperation operation) {
    if (FOR_ADMINS.contains(operation.id())) {
      return OperatorRole.ADMIN;
    }
    boolean reads = operation.method().equals("GET") || operation.id().equals("callMcp");
    return reads ? OperatorRole.VIEWER : OperatorRole.OPERATOR;
  }

  @Test
  void aViewerSeesWhatAllUsersHaveAndAUserOnlyTheirOwn() {
    long ann = user("ann@example.org");
    admin
        .post(
            "/meetings?user_id=" + ann,
            Map.of("platform", "daily", "native_meeting_id", "seen-by-viewers"))
        .expect(201);
    JsonNode seen =
        person("viewer", "convoke-viewer").get("/meetings?user_id=" + ann).expect(200).json();
    assertThat(seen.path("items")).hasSize(1);
    Answered refused =
        person("viewer", "convoke-viewer")
            .patch("/admin/users/" + ann, Map.of("name", "Ann"))
            .expect(403, "role_missing");
    assertThat(refused.json().path("role").asString()).isEqualTo("admin");

    Map<String, Object> carl = claims("carl-at-the-issuer");
    carl.put("email", "carl@example.org");
    carl.put("email_verified", true);
    long carlId = user("carl@example.org");
    ContractClient byToken = nodes.one().with("Authorization", bearer(carl));
    assertThat(me(byToken).path("user_id").asLong()).isEqualTo(carlId);
    assertThat(me(byToken).path("role").asString()).isEqualTo("user");
    assertThat(byToken.get("/meetings").expect(200).json().path("items")).isEmpty();
    byToken.get("/admin/users").expect(403);
  }

  @Test
  void theJournalNamesThePersonWhoActed() {
    ContractClient operator = person("dora", "convoke-operator", "offline_access");
    JsonNode dora = me(operator);
    assertThat(dora.path("operator_role").asString()).isEqualTo("operator");
    long id = dora.path("user_id").asLong();
    Map<String, String> room = Map.of("platform", "daily", "native_meeting_id", "doras-retro");
    operator.post("/meetings?user_id=" + user("gus@example.org"), room).expect(201);
    JsonNode entry = admin.get("/admin/audit?limit=1").expect(200).json().at("/items/0");
    assertThat(entry.path("action").asString()).isEqualTo("trackMeeting");
    assertThat(entry.path("actor").asString()).isEqualTo("operator:" + id);
  }

  @Test
  void anAddressLinksOnlyWhereItIsVerifiedAndTheUserIsNobodyElse() {
    long eve = user("eve@example.org");
    Map<String, Object> unverified = claims("eve-1");
    unverified.put("email", "eve@example.org");
    nodes.one().with("Authorization", bearer(unverified)).get("/meetings").expect(401);
    unverified.put("email_verified", true);
    ContractClient verified = nodes.one().with("Authorization", bearer(unverified));
    assertThat(me(verified).path("user_id").asLong()).isEqualTo(eve);

    Map<String, Object> successor = claims("eve-2", "convoke-admin");
    successor.put("email", "eve@example.org");
    successor.put("email_verified", true);
    ContractClient other = nodes.one().with("Authorization", bearer(successor));
    other.get("/meetings").expect(401);
    JsonNode linked = admin.get("/admin/users/" + eve).expect(200).json();
    assertThat(linked.path("oidc_subject").asString()).isEqualTo("eve-1");

    admin.json("PATCH", "/admin/users/" + eve, "{\"oidc_subject\":null}").expect(200);
    assertThat(me(other).path("user_id").asLong()).isEqualTo(eve);
    verified.get("/meetings").expect(401);
  }

  @Test
  void anAdminMayLinkAUserByHand() {
    long fay = user("fay@example.org");
    admin.patch("/admin/users/" + fay, Map.of("oidc_subject", "fay-1")).expect(200);
    assertThat(me(person("fay-1")).path("user_id").asLong()).isEqualTo(fay);
    admin
        .patch("/admin/users/" + user("guy@example.org"), Map.of("oidc_subject", "fay-1"))
        .expect(409, "subject_taken");
  }

  @Test
  void anOperatorGetsAUserOnceAndAStrangerNone() {
    person("stranger").get("/session").expect(401);
    Map<String, Object> hal = claims("hal", "convoke-viewer");
    hal.put("name", "Hal");
    ContractClient first = nodes.one().with("Authorization", bearer(hal));
    ContractClient again = nodes.other().with("Authorization", bearer(hal));
    long id = me(first).path("user_id").asLong();
    assertThat(me(again).path("user_id").asLong()).isEqualTo(id);
    assertThat(admin.get("/admin/users/" + id).expect(200).json().path("name").asString())
        .isEqualTo("Hal");
  }

  @Test
  void tokensOfADisabledUserAre401OnEveryNode() {
    ContractClient one = person("ida", "convoke-admin");
    ContractClient other =
        nodes.other().with("Authorization", bearer(claims("ida", "convoke-admin")));
    long id = me(one).path("user_id").asLong();
    assertThat(me(other).path("user_id").asLong()).isEqualTo(id);
    admin.patch("/admin/users/" + id, Map.of("disabled", true)).expect(200);
    long began = System.nanoTime();
    one.get("/admin/users").expect(401);
    Await.until("401 on the other node", () -> other.get("/admin/users").status() == 401);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(BOUND);
    admin.patch("/admin/users/" + id, Map.of("disabled", false)).expect(200);
    assertThat(me(one).path("operator_role").asString()).isEqualTo("admin");
  }

  /** What a browser has after a sign-in at the issuer: the answer of our callback. */
  private static Answered signIn(ContractClient browser) {
    Answered begun = browser.get("/session/oidc").expect(303);
    return comeBack(browser.with("Cookie", cookie(begun, 0)), atIssuer(begun));
  }

  private static Answered comeBack(ContractClient browser, URI callback) {
    return browser.get(callback.getRawPath() + "?" + callback.getRawQuery());
  }

  private static URI atIssuer(Answered begun) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<Void> answered =
          http.send(
              HttpRequest.newBuilder(URI.create(begun.header("Location"))).build(),
              BodyHandlers.discarding());
      assertThat(answered.statusCode()).isEqualTo(302);
      return URI.create(answered.headers().firstValue("Location").orElseThrow());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String cookie(Answered answered, int index) {
    return answered.headers().allValues("Set-Cookie").get(index).split(";", 2)[0];
  }

  private static Map<String, Object> jane(String subject) {
    return Map.of("sub", subject, "email", subject + "@example.org", "email_verified", true);
  }

  @Test
  void aPersonSignsInAndOutAndIsDisabled() {
    issuer.signsIn(jane("jane"), List.of("convoke-operator"));
    Answered done = signIn(nodes.one()).expect(303);
    assertThat(done.header("Location")).isEqualTo("/");
    List<String> cookies = done.headers().allValues("Set-Cookie");
    assertThat(cookies.getFirst())
        .startsWith("convoke=")
        .contains("Max-Age=28", "HttpOnly", "SameSite=Strict", "Path=/");
    assertThat(cookies.getLast()).startsWith("convoke-oidc=;").contains("Max-Age=0");

    ContractClient jane = nodes.other().with("Cookie", cookie(done, 0));
    JsonNode who = me(jane);
    assertThat(who.path("operator_role").asString()).isEqualTo("operator");
    assertThat(Instant.parse(who.path("expires_at").asString()))
        .isBetween(
            Instant.now().plus(Duration.ofHours(7)), Instant.now().plus(Duration.ofHours(8)));
    jane.get("/admin/users").expect(200);
    jane.with("X-Convoke-CSRF", "1")
        .post("/admin/users", Map.of("email", "x@example.org"))
        .expect(403, "role_missing");
    jane.post("/pods/some-pod/drain").expect(403, "csrf");
    String cleared =
        jane.with("X-Convoke-CSRF", "1").delete("/session").expect(204).header("Set-Cookie");
    assertThat(cleared).startsWith("convoke=;");

    long id = who.path("user_id").asLong();
    admin.patch("/admin/users/" + id, Map.of("disabled", true)).expect(200);
    Await.until("401 by session", () -> jane.get("/session").status() == 401);
    signIn(nodes.one()).expect(403, "no_user");
    admin.patch("/admin/users/" + id, Map.of("disabled", false)).expect(200);
    Await.until("200 by session", () -> jane.get("/session").status() == 200);
    admin.json("PATCH", "/admin/users/" + id, "{\"oidc_subject\":null}").expect(200);
    Await.until("401 after unlinking", () -> jane.get("/session").status() == 401);
  }

  @Test
  void aSignInBelongsToTheBrowserThatBeganIt() {
    issuer.signsIn(jane("kim"), List.of("convoke-viewer"));
    ContractClient browser = nodes.one();
    Answered begun = browser.get("/session/oidc").expect(303);
    URI callback = atIssuer(begun);
    comeBack(browser, callback).expect(401, "sign_in_refused");
    Answered others = browser.get("/session/oidc").expect(303);
    comeBack(browser.with("Cookie", cookie(others, 0)), callback).expect(401, "sign_in_refused");

    ContractClient own = browser.with("Cookie", cookie(begun, 0));
    own.get(
            callback.getPath()
                + "?"
                + callback.getRawQuery().replaceFirst("&iss=.*", "&iss=https://elsewhere.example"))
        .expect(401, "sign_in_refused");
    comeBack(own, callback).expect(303);
    comeBack(own, callback).expect(401, "sign_in_refused");
  }

  @Test
  void anIdTokenOfAnotherSignInIsRefused() {
    issuer.signsIn(jane("leo"), List.of());
    long leo = user("leo@example.org");
    for (Map<String, Object> wrong :
        List.<Map<String, Object>>of(
            Map.of("nonce", "of-another-sign-in"),
            Map.of("aud", "another-client"),
            Map.of("aud", List.of("convoke", "another-client")),
            Map.of("azp", "another-client"),
            Map.of("exp", Instant.now().minusSeconds(60).getEpochSecond()),
            Map.of("iss", "https://elsewhere.example"))) {
      issuer.idTokens(
          claims -> {
            claims.putAll(wrong);
            return claims;
          });
      int logged = log.list.size();
      signIn(nodes.one()).expect(401, "sign_in_refused");
      assertThat(log.list.subList(logged, log.list.size()))
          .as(wrong.toString())
          .anyMatch(event -> event.getLevel() == Level.WARN);
    }
    issuer.idTokens(UnaryOperator.identity());
    Answered done = signIn(nodes.one()).expect(303);
    JsonNode who = me(nodes.one().with("Cookie", cookie(done, 0)));
    assertThat(who.path("role").asString()).isEqualTo("user");
    assertThat(who.path("user_id").asLong()).isEqualTo(leo);
    assertThat(who.path("operator_role").isNull()).isTrue();
  }

  /** An operator has to mend it, so it is in the log, and the person may come back later. */
  @Test
  void anIssuerThatRefusesOurClientIsUnavailable() {
    issuer.signsIn(jane("mia"), List.of("convoke-viewer"));
    String callback = nodes.one().url() + "/session/oidc/callback";
    issuer.register("convoke", "another secret", callback);
    try {
      signIn(nodes.one()).expect(503, "unavailable");
      assertThat(log.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .contains(
              "A code could not be exchanged: "
                  + issuer.url()
                  + "/token answers 401 invalid_client");
    } finally {
      issuer.register("convoke", "s3cr:t", callback);
    }
    signIn(nodes.one()).expect(303);
  }

  /** A browser that the issuer sends back shows a page, not JSON. */
  @Test
  void aRefusedSignInIsAPageInABrowser() throws Exception {
    issuer.nobodySignsIn();
    Answered begun = nodes.one().get("/session/oidc").expect(303);
    URI callback = URI.create(nodes.one().url()).resolve(atIssuer(begun));
    try (HttpClient browser = HttpClient.newHttpClient()) {
      HttpResponse<String> shown =
          browser.send(
              HttpRequest.newBuilder(URI.create(callback + "&error_description=%3Cscript%3E"))
                  .header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
                  .header("Cookie", cookie(begun, 0))
                  .build(),
              BodyHandlers.ofString());
      assertThat(shown.statusCode()).isEqualTo(401);
      assertThat(shown.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
      assertThat(shown.body())
          .contains("You are not signed in", "access_denied", "href=\"/\"")
          .doesNotContain("<script>", "{");
    }
  }

  @Test
  void whoDeclinesOrHasNoUserIsToldSo() {
    issuer.nobodySignsIn();
    String refused = signIn(nodes.one()).expect(401, "sign_in_refused").body();
    assertThat(refused).contains("access_denied");
    issuer.signsIn(jane("stranger-too"), List.of("offline_access"));
    signIn(nodes.one()).expect(403, "no_user");
    assertThat(nodes.one().get("/session/methods").expect(200).json().path("oidc").asString())
        .isEqualTo("Example ID");
  }

  @Test
  void behindAProxyThatEndsTlsAllIsHttps() {
    Answered begun =
        nodes.one().with("X-Forwarded-Proto", "https").get("/session/oidc").expect(303);
    assertThat(begun.header("Location"))
        .contains("redirect_uri=https%3A%2F%2F127.0.0.1")
        .doesNotContain("s3cr");
    assertThat(begun.header("Set-Cookie"))
        .startsWith("__Host-convoke-oidc=")
        .contains("; Secure", "SameSite=Lax", "HttpOnly", "Path=/");
  }

  private static long user(String email) {
    return Json.read(admin.post("/admin/users", Map.of("email", email)).expect(201).body())
        .path("id")
        .asLong();
  }
}

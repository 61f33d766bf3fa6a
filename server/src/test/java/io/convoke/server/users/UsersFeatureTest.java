package io.convoke.server.users;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.DocumentParts;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.RequestPolicies;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TestDatabase;
import io.convoke.server.http.auth.Authenticator;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.idempotency.IdempotencyStore;
import io.convoke.server.http.listener.HttpServer;
import io.convoke.server.launch.Await;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The operator creates users and keys; a key is valid until it is revoked. */
class UsersFeatureTest {
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-03-01T09:00:00Z"));
  private Database database;
  private UsersFeature usersFeature;
  private HttpServer server;
  private ContractClient admin;

  @BeforeEach
  void start() {
    database = TestDatabase.fresh();
    usersFeature = new UsersFeature(database, now::get);
    usersFeature.start();
    List<Endpoint> endpoints = new ArrayList<>(usersFeature.endpoints());
    endpoints.add(whoAmI());
    server =
        HttpServer.start(
            HttpConfig.at("127.0.0.1", 0),
            endpoints,
            DocumentParts.NONE,
            new Authenticator(
                Optional.of("admin"), Optional.empty(), usersFeature.apiKeys(), List.of()),
            new BrowserSessions(SecretBox.of(SecretBox.newKey()), InstantSource.system()),
            new IdempotencyStore(database, SecretBox.of(SecretBox.newKey())),
            RequestPolicies.NONE,
            new HealthChecks(),
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            OpenTelemetry.noop());
    admin = ContractClient.of(server.url()).with("X-Admin-API-Key", "admin");
  }

  @AfterEach
  void stop() {
    server.close();
    usersFeature.close();
    database.close();
  }

  private static Endpoint whoAmI() {
    return Endpoint.get("/me")
        .id("me")
        .tag("test")
        .summary("Who calls.")
        .roles(CallerRole.USER)
        .scope(ApiScope.MEETINGS)
        .answers(200, Schema.object().required("scope", Schema.text()))
        .handle(request -> Response.ok(Map.of("scope", request.caller().scope())));
  }

  @Test
  void a_user_is_made_once_per_email() {
    var first =
        admin.post("/admin/users", Map.of("email", "Ann@example.org", "name", "Ann")).expect(201);
    var again =
        admin.post("/admin/users", Map.of("email", "ann@EXAMPLE.org", "name", "Other")).expect(200);

    assertThat(again.json()).isEqualTo(first.json());
    assertThat(first.json().properties().stream().map(Map.Entry::getKey))
        .containsExactly(
            "id",
            "email",
            "name",
            "image_url",
            "max_concurrent_bots",
            "data",
            "created_at",
            "oidc_issuer",
            "oidc_subject",
            "disabled");
    assertThat(first.json().path("max_concurrent_bots").asInt()).isEqualTo(1);
    assertThat(first.json().path("created_at").asString()).matches(".*T.*\\.\\d{3}Z");
    long id = first.json().path("id").asLong();
    assertThat(admin.get("/admin/users/" + id).expect(200).json()).isEqualTo(first.json());
  }

  @Test
  void the_bot_limit_is_absent_null_or_a_number() {
    assertThat(limit("{\"email\":\"a@x.org\"}")).isEqualTo("1");
    assertThat(limit("{\"email\":\"b@x.org\",\"max_concurrent_bots\":null}")).isEqualTo("null");
    assertThat(limit("{\"email\":\"c@x.org\",\"max_concurrent_bots\":0}")).isEqualTo("0");
    admin
        .json("POST", "/admin/users", "{\"email\":\"d@x.org\",\"max_concurrent_bots\":-1}")
        .expect(400);
    admin.json("POST", "/admin/users", "{\"email\":\"nobody\"}").expect(400);
    admin.json("POST", "/admin/users", "{}").expect(400);
  }

  private String limit(String body) {
    return admin
        .json("POST", "/admin/users", body)
        .expect(201)
        .json()
        .path("max_concurrent_bots")
        .toString();
  }

  @Test
  void a_change_touches_what_it_names() {
    long id = user("ann@x.org");
    long other = user("bob@x.org");
    String path = "/admin/users/" + id;

    admin
        .json("PATCH", path, "{\"name\":\"Ann\",\"data\":{\"team\":1},\"max_concurrent_bots\":5}")
        .expect(200);
    var changed =
        admin.json("PATCH", path, "{\"image_url\":\"https://x.org/a.png\"}").expect(200).json();
    assertThat(changed.path("name").asString()).isEqualTo("Ann");
    assertThat(changed.path("data")).isEqualTo(Json.read("{\"team\":1}"));
    assertThat(changed.path("max_concurrent_bots").asInt()).isEqualTo(5);
    var unlimited =
        admin
            .json("PATCH", path, "{\"max_concurrent_bots\":null,\"name\":null}")
            .expect(200)
            .json();
    assertThat(unlimited.path("max_concurrent_bots").isNull()).isTrue();
    assertThat(unlimited.path("name").isNull()).isTrue();
    admin.json("PATCH", path, "{\"email\":\"BOB@x.org\"}").expect(409, "email_taken");
    admin.json("PATCH", "/admin/users/" + (other + 100), "{}").expect(404);
    admin.json("PATCH", path, "{\"image_url\":\"javascript:alert(1)\"}").expect(400);
  }

  @Test
  void a_users_tokens_are_listed_without_their_secrets() {
    long id = user("ann@x.org");
    String path = "/admin/users/" + id + "/tokens";
    long first = admin.post(path, Map.of("name", "laptop")).expect(201).json().path("id").asLong();
    String secret = admin.post(path, Map.of()).expect(201).json().path("token").asString();
    admin.delete("/admin/tokens/" + first).expect(204);

    var page = admin.get(path + "?limit=1").expect(200).json();
    assertThat(page.at("/items/0/name").isNull()).isTrue();
    assertThat(page.at("/items/0/revoked_at").isNull()).isTrue();
    assertThat(page.toString()).doesNotContain(secret);
    var rest =
        admin.get(path + "?cursor=" + page.path("next_cursor").asString()).expect(200).json();
    assertThat(rest.path("items")).hasSize(1);
    assertThat(rest.at("/items/0/name").asString()).isEqualTo("laptop");
    assertThat(rest.at("/items/0/revoked_at").asString()).endsWith("Z");
    admin.get("/admin/users/" + (id + 100) + "/tokens").expect(404);
  }

  @Test
  void users_are_listed_page_by_page() {
    for (int i = 0; i < 5; i++) {
      user("user" + i + "@x.org");
    }
    List<String> emails = new ArrayList<>();
    String cursor = "";
    do {
      var page = admin.get("/admin/users?limit=2" + cursor).expect(200).json();
      page.path("items").forEach(item -> emails.add(item.path("email").asString()));
      String next = page.path("next_cursor").asStringOpt().orElse("");
      cursor = next.isEmpty() ? "" : "&cursor=" + next;
    } while (!cursor.isEmpty());
    assertThat(emails)
        .containsExactly("user0@x.org", "user1@x.org", "user2@x.org", "user3@x.org", "user4@x.org");
  }

  @Test
  void a_token_is_shown_once_stored_as_a_hash_and_works_until_revoked() {
    long id = user("ann@x.org");
    ContractClient maker = admin.with("Idempotency-Key", "once");
    var issued =
        maker.post("/admin/users/" + id + "/tokens", Map.of("name", "laptop")).expect(201).json();
    var again =
        maker.post("/admin/users/" + id + "/tokens", Map.of("name", "laptop")).expect(201).json();
    String token = issued.path("token").asString();

    assertThat(again).isEqualTo(issued);
    assertThat(token).matches("cvk_[A-Za-z0-9_-]{43}");
    assertThat(stored()).doesNotContain(token.substring(4));
    ContractClient ann = ContractClient.of(server.url()).with("X-API-Key", token);
    assertThat(ann.get("/me").expect(200).json().path("scope").asString()).isEqualTo("user:" + id);

    String path = "/admin/tokens/" + issued.path("id").asLong();
    admin.delete(path).expect(204);
    ann.get("/me").expect(401);
    admin.delete(path).expect(204);
    admin.delete("/admin/tokens/999999").expect(404);
    admin.post("/admin/users/999999/tokens").expect(404);
    ann.get("/admin/users").expect(401);
  }

  @Test
  void revoking_a_token_ends_the_sessions_that_it_began() {
    var issued = admin.post("/admin/users/" + user("ann@x.org") + "/tokens", Map.of()).json();
    ContractClient browser = ContractClient.of(server.url()).with("X-Convoke-CSRF", "1");
    Map<String, String> key = Map.of("api_key", issued.path("token").asString());
    String cookie = browser.post("/session", key).expect(200).header("Set-Cookie");
    ContractClient ann = browser.with("Cookie", cookie.split(";", 2)[0]);
    ann.get("/me").expect(200);

    admin.delete("/admin/tokens/" + issued.path("id").asLong()).expect(204);
    ann.get("/me").expect(401);
    ann.get("/session").expect(401);
    browser.post("/session", key).expect(401);
  }

  @Test
  void a_key_is_good_until_it_expires() {
    long id = user("ann@x.org");
    JsonNode issued =
        admin
            .post("/admin/users/" + id + "/tokens", Map.of("expires_at", "2026-03-01T10:00:00Z"))
            .expect(201)
            .json();
    assertThat(issued.path("expires_at").asString()).isEqualTo("2026-03-01T10:00:00.000Z");
    ContractClient ann =
        ContractClient.of(server.url()).with("X-API-Key", issued.path("token").asString());
    ann.get("/me").expect(200);
    now.set(Instant.parse("2026-03-01T09:59:59.999Z"));
    ann.get("/me").expect(200);
    now.set(Instant.parse("2026-03-01T10:00:00Z"));
    ann.get("/me").expect(401);
    admin
        .post("/admin/users/" + id + "/tokens", Map.of("expires_at", "2026-03-01T10:00:00Z"))
        .expect(400);
    admin
        .post("/admin/users/" + id + "/tokens", Map.of("expires_at", "2030-01-01 00:00:00Z"))
        .expect(400, "bad_request");
  }

  @Test
  void the_last_use_of_a_key_is_listed() {
    String path = "/admin/users/" + user("ann@x.org") + "/tokens";
    String token = admin.post(path).expect(201).json().path("token").asString();
    assertThat(lastUse(path)).isEqualTo("null");
    ContractClient.of(server.url()).with("X-API-Key", token).get("/me").expect(200);
    Await.until("the last use", () -> lastUse(path).equals("\"2026-03-01T09:00:00.000Z\""));
  }

  @Test
  void each_of_a_persons_first_requests_finds_the_user() throws Exception {
    long ann = user("ann@x.org");
    FederatedIdentity person =
        new FederatedIdentity(
            "https://id.example.org", "a1", Optional.of("ann@x.org"), Optional.empty(), false);
    CompletableFuture<Optional<Long>> other =
        database.transaction(
            tx -> {
              int _ =
                  tx.sql("update users set oidc_issuer = ?, oidc_subject = ? where id = ?")
                      .with(person.issuer(), person.subject(), ann)
                      .update();
              CompletableFuture<Optional<Long>> request =
                  CompletableFuture.supplyAsync(() -> usersFeature.userOf(person));
              Await.until("the other request", () -> keepsAnotherWaiting(tx));
              return request;
            });
    assertThat(other.get(10, TimeUnit.SECONDS)).contains(ann);
  }

  private static boolean keepsAnotherWaiting(Tx tx) {
    return tx.sql(
            """
            select exists (
              select from pg_locks
              where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))) as it
            """)
        .one(row -> row.booleanAt("it"));
  }

  private String lastUse(String path) {
    return admin.get(path).expect(200).json().at("/items/0/last_used_at").toString();
  }

  private String stored() {
    return database.read(
        tx ->
            tx.sql(
                    "select encode(token_hash, 'escape') || coalesce(name, '') as stored from"
                        + " api_tokens")
                .one(resultRow -> resultRow.text("stored")));
  }

  private long user(String email) {
    return admin
        .post("/admin/users", Map.of("email", email))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }
}

package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.EventReader;
import io.convoke.server.launch.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A user is disabled on one node; keys, JWTs, sessions and streams on the other one end, and
 * webhooks wait.
 */
class DisabledUsersTest {
  private static final Duration BOUND = Duration.ofSeconds(5);

  @TempDir private static Path folder;
  private static TwoNodes nodes;
  private static ContractClient admin;
  private static int users;

  private long user;
  private String key = "";
  private long keyId;

  @BeforeAll
  static void start() {
    nodes = TwoNodes.start(folder, Map.of());
    admin = nodes.admin();
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  @BeforeEach
  void user() {
    users++;
    user =
        admin
            .post("/admin/users", Map.of("email", "user" + users + "@example.org"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    var issued = admin.post("/admin/users/" + user + "/tokens").expect(201).json();
    key = issued.path("token").asString();
    keyId = issued.path("id").asLong();
  }

  private void disable(boolean disabled) {
    var changed =
        admin.patch("/admin/users/" + user, Map.of("disabled", disabled)).expect(200).json();
    assertThat(changed.path("disabled").asBoolean()).isEqualTo(disabled);
  }

  @SuppressWarnings("JavaUtilDate") // the JWT library's own type
  private String jwt() throws Exception {
    SignedJWT jwt =
        new SignedJWT(
            new JWSHeader(JWSAlgorithm.HS256),
            new JWTClaimsSet.Builder()
                .subject(String.valueOf(user))
                .expirationTime(Date.from(Instant.now().plusSeconds(600)))
                .build());
    jwt.sign(new MACSigner(TwoNodes.JWT_SECRET));
    return jwt.serialize();
  }

  private static int status(ContractClient caller) {
    return caller.get("/meetings").status();
  }

  @Test
  void keysJwtsAndSessionsAre401OnEveryNodeUntilTheUserIsEnabled() throws Exception {
    ContractClient byKey = nodes.other().with("X-API-Key", key);
    ContractClient byJwt = nodes.other().with("Authorization", "Bearer " + jwt());
    ContractClient browser = nodes.other().with("X-Convoke-CSRF", "1");
    String cookie =
        browser.post("/session", Map.of("api_key", key)).expect(200).header("Set-Cookie");
    ContractClient bySession = browser.with("Cookie", cookie.split(";", 2)[0]);
    byKey.get("/meetings").expect(200);
    byJwt.get("/meetings").expect(200);
    bySession.get("/meetings").expect(200);

    disable(true);
    long began = System.nanoTime();
    nodes.one().with("X-API-Key", key).get("/meetings").expect(401);
    Await.until("401 by key", () -> status(byKey) == 401);
    Await.until("401 by JWT", () -> status(byJwt) == 401);
    Await.until("401 by session", () -> status(bySession) == 401);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(BOUND);

    disable(false);
    nodes.one().with("X-API-Key", key).get("/meetings").expect(200);
    Await.until("200 by key", () -> status(byKey) == 200);
    Await.until("200 by JWT", () -> status(byJwt) == 200);
  }

  @Test
  void openStreamsOfTheUserEndAndThoseOfOthersGoOn() throws Exception {
    try (EventReader disabled = nodes.other().with("X-API-Key", key).events("/events");
        EventReader others =
            nodes.other().with("X-Admin-API-Key", TwoNodes.ADMIN).events("/events")) {
      disable(true);
      assertThat(disabled.ends(BOUND)).isTrue();
      assertThat(others.ends(Duration.ZERO)).isFalse();
    }
  }

  /** Neither node sends webhooks; one that does looks for such lanes each minute. */
  @Test
  void whatWaitsForTheWebhooksOfAnEnabledUserIsDue() {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        with made as (
                          insert into webhook_endpoints (user_id, url, secret, routed_seq)
                          values (?, 'http://127.0.0.1/', '', 0) returning id)
                        insert into webhook_lanes (endpoint_id, lane) select id, 0 from made
                        """)
                    .with(user)
                    .update();
          });
      disable(true);
      assertThat(due(database)).isFalse();
      disable(false);
      assertThat(due(database)).isTrue();
    }
  }

  private boolean due(Database database) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select bool_and(l.wakes_at is not null) as due
                    from webhook_lanes l join webhook_endpoints e on e.id = l.endpoint_id
                    where e.user_id = ?
                    """)
                .with(user)
                .one(resultRow -> resultRow.booleanAt("due")));
  }

  @Test
  void theStreamOfARevokedKeyEnds() throws Exception {
    try (EventReader revoked = nodes.other().with("X-API-Key", key).events("/events")) {
      admin.delete("/admin/tokens/" + keyId).expect(204);
      assertThat(revoked.ends(BOUND)).isTrue();
    }
  }
}

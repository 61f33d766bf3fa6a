package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.bots.BotTokens;
import io.convoke.server.bots.Sealer;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.reseal.SecretResealer;
import io.convoke.server.webhooks.EndpointSecretSealer;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What was issued with one secret key still counts on servers that list a new key first, and what
 * those issue counts on servers that have been told the new key but still issue with the old one.
 */
class KeyRotationTest {
  private static final String ADMIN = "the-admins-token";
  private static final Map<String, String> ROOM =
      Map.of("platform", "daily", "native_meeting_id", "stand-up", "passcode", "a-passcode");

  private final String before = key();
  private final String after = key();
  private final String database = MigratedDatabase.url();

  @TempDir private Path folder;

  private static String key() {
    return Base64.getEncoder().encodeToString(SecretBox.newKey());
  }

  private App server(String keys) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", database);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", keys);
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_DAILY_API_URL", "http://127.0.0.1:1");
    return App.start(ServerConfig.of(settings), Set.of(NodeRole.API), folder);
  }

  private static ContractClient admin(App server) {
    return ContractClient.of(server.url()).with("X-Admin-API-Key", ADMIN);
  }

  private static String signIn(App server) {
    return ContractClient.of(server.url())
        .with("X-Convoke-CSRF", "1")
        .post("/session", Map.of("admin_key", ADMIN))
        .expect(200)
        .header("Set-Cookie")
        .replaceFirst(";.*", "");
  }

  private static void expectSession(App server, String cookie) {
    ContractClient.of(server.url()).with("Cookie", cookie).get("/session").expect(200);
  }

  @Tag("nightly")
  @Test
  void botsSessionsAndRepeatedRequestsDoNotNoticeARotation() {
    String cookie;
    String meeting;
    String botToken;
    String connection;
    String user;
    try (App server = server(before)) {
      user = user(server);
      meeting = start(server, user).toString();
      JsonNode status = admin(server).get("/bots/status?meeting_id=" + meeting).expect(200).json();
      connection = status.path("session_uid").asString();
      botToken = botToken(before, meeting, status);
      ContractClient.of(server.url())
          .with("Authorization", "Bearer " + botToken)
          .post(
              "/callback/started",
              Map.of("connection_id", connection, "meeting_id", Long.valueOf(meeting)))
          .expect(200);
      cookie = signIn(server);
    }
    try (App rotated = server(after + "," + before);
        App told = server(before + "," + after)) {
      ContractClient bot =
          ContractClient.of(rotated.url()).with("Authorization", "Bearer " + botToken);
      bot.post("/callback/heartbeat", Map.of("connection_id", connection)).expect(200);
      expectSession(rotated, cookie);
      assertThat(start(rotated, user)).hasToString(meeting);

      String newer =
          botToken(after, meeting, admin(told).get("/bots/status?meeting_id=" + meeting).json());
      ContractClient.of(told.url())
          .with("Authorization", "Bearer " + newer)
          .post("/callback/heartbeat", Map.of("connection_id", connection))
          .expect(200);
      expectSession(told, signIn(rotated));
      ContractClient.of(rotated.url())
          .with("Authorization", "Bearer " + botToken(key(), meeting, Map.of()))
          .post("/callback/heartbeat", Map.of("connection_id", connection))
          .expect(401);
    }
  }

  @Test
  void afterAResealTheOldKeyCanGoOnceItsBotsAndTasksHaveEnded() {
    String user;
    String secret;
    String meeting;
    Map<String, Object> bot;
    String botToken;
    try (App server = server(before)) {
      user = user(server);
      secret =
          admin(server)
              .post("/webhook-endpoints?user_id=" + user, Map.of("url", "https://1.1.1.1/hook"))
              .expect(201)
              .json()
              .path("secret")
              .asString();
      meeting = start(server, user).toString();
      JsonNode status = admin(server).get("/bots/status?meeting_id=" + meeting).expect(200).json();
      bot = Map.of("connection_id", status.path("session_uid").asString());
      botToken = botToken(before, meeting, status);
      Map<String, Object> first = new HashMap<>(bot);
      first.put("meeting_id", Long.valueOf(meeting));
      bot(server, botToken).post("/callback/started", first).expect(200);
      admin(server).post("/tasks?user_id=" + user, task("ended")).expect(202);
      admin(server).post("/tasks?user_id=" + user, task("open")).expect(202);
    }
    try (App rotated = server(after + "," + before);
        Database rows = Database.open(DatabaseUrl.parse(database), 2, "test", Migrations.SCHEMAS)) {
      ContractClient asBot = bot(rotated, botToken);
      change(rows, "update tasks set state = 'FAILED', completed_at = now() where id = 'ended'");
      change(rows, "update meetings set bot_container_id = 'process:here:1:1:bot'");

      SecretResealer.ResealResult result = reseal(rows, after + "," + before);
      assertThat(result.resealed()).as("secret, passcode, answer, ended task").isEqualTo(4);
      assertThat(result.unreadable()).isZero();
      assertThat(result.obstacles())
          .containsExactly(
              "1 live bots have a token of an older key: wait until they have ended",
              "1 open tasks have a token of an older key: wait until they have ended");
      asBot.post("/callback/heartbeat", bot).expect(200);

      Map<String, Object> last = new HashMap<>(bot);
      last.put("exit_code", 0);
      asBot.post("/callback/exited", last).expect(200);
      change(rows, "update tasks set state = 'FAILED', completed_at = now() where id = 'open'");
      result = reseal(rows, after + "," + before);
      assertThat(result.resealed()).isEqualTo(1);
      assertThat(result.obstacles()).isEmpty();
      assertThat(reseal(rows, after + "," + before).resealed()).as("nothing is left").isZero();

      assertThat(reseal(rows, before).unreadable()).as("the old key opens none").isEqualTo(5);
    }
    try (App server = server(after);
        Database rows = Database.open(DatabaseUrl.parse(database), 2, "test", Migrations.SCHEMAS)) {
      assertThat(start(server, user)).hasToString(meeting);
      SecretBox box = SecretBox.parse(after);
      assertThat(
              box.open(EndpointSecretSealer.PURPOSE, text(rows, "secret from webhook_endpoints")))
          .isEqualTo(secret);
      assertThat(box.open(Sealer.PURPOSE, text(rows, "bot ->> 'passcode' from meetings")))
          .isEqualTo("a-passcode");
      JsonNode spec = Json.read(text(rows, "spec::text from tasks where id = 'open'"));
      assertThat(new AccessTokenSealer(box).open((ObjectNode) spec).toString())
          .contains("\"token-of-open\"");
    }
  }

  @Test
  void aPodsKeyOpensTokensOfTasksAndNothingElse() {
    SecretBox secrets = SecretBox.parse(before);
    SecretBox podKey = SecretBox.parse(AccessTokenSealer.forPods(secrets).text());
    ObjectNode sealed =
        new AccessTokenSealer(secrets).seal((ObjectNode) Json.read("{\"access_token\": \"t\"}"));
    assertThat(AccessTokenSealer.ofPodKey(podKey).open(sealed).path("access_token").asString())
        .isEqualTo("t");
    assertThatThrownBy(
            () ->
                podKey.open(
                    EndpointSecretSealer.PURPOSE,
                    secrets.seal(EndpointSecretSealer.PURPOSE, "whsec_x")))
        .isInstanceOf(SecretBox.UnsealFailure.class);
    try (App server = server(before)) {
      String meeting = start(server, user(server)).toString();
      JsonNode status = admin(server).get("/bots/status?meeting_id=" + meeting).expect(200).json();
      Map<String, Object> body =
          Map.of(
              "connection_id",
              status.path("session_uid").asString(),
              "meeting_id",
              Long.valueOf(meeting));
      ContractClient.of(server.url())
          .with("Authorization", "Bearer " + botToken(podKey.text(), meeting, status))
          .post("/callback/started", body)
          .expect(401);
      ContractClient.of(server.url())
          .with("Authorization", "Bearer " + botToken(before, meeting, status))
          .post("/callback/started", body)
          .expect(200);
    }
  }

  private static ContractClient bot(App server, String token) {
    return ContractClient.of(server.url()).with("Authorization", "Bearer " + token);
  }

  private static Map<String, Object> task(String id) {
    return Map.of(
        "id",
        id,
        "request_id",
        "req_" + id,
        "type",
        "snapshot",
        "action",
        "start",
        "channel",
        "room-" + id,
        "region",
        "nowhere",
        "payload",
        Map.of("access_token", "token-of-" + id));
  }

  private static SecretResealer.ResealResult reseal(Database rows, String keys) {
    return new SecretResealer(rows, SecretBox.parse(keys), Optional.empty(), System.out::println)
        .run();
  }

  private static void change(Database rows, String sql) {
    int changed = rows.transaction(tx -> tx.sql(sql).update());
    assertThat(changed).isEqualTo(1);
  }

  private static String text(Database rows, String sql) {
    return rows.read(
        tx ->
            tx.sql("select " + sql.replaceFirst(" from", " as text from"))
                .one(row -> row.text("text")));
  }

  private static String user(App server) {
    return admin(server)
        .post("/admin/users", Map.of("email", "a@example.org"))
        .expect(201)
        .json()
        .path("id")
        .toString();
  }

  /** The same request each time: the first one's answer. */
  private static JsonNode start(App server, String user) {
    return admin(server)
        .with("Idempotency-Key", "once")
        .post("/bots/start?user_id=" + user, ROOM)
        .expect(201)
        .json()
        .path("id");
  }

  private static String botToken(String key, String meeting, Object status) {
    JsonNode row = Json.tree(status);
    return new BotTokens(SecretBox.parse(key))
        .of(
            Long.parseLong(meeting),
            row.path("attempt").asInt(1),
            row.path("session_uid").asString("00000000-0000-0000-0000-000000000000"));
  }
}

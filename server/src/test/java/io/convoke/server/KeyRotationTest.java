package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.server.bots.BotTokens;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * What was issued with one secret key still counts on servers that list a new key first, and what
 * those issue counts on servers that have been told the new key but still issue with the old one.
 */
class KeyRotationTest {
  private static final String ADMIN = "the-admins-token";
  private static final Map<String, String> ROOM =
      Map.of("platform", "daily", "native_meeting_id", "stand-up");

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

  @Test
  void botsSessionsAndRepeatedRequestsDoNotNoticeARotation() {
    String cookie;
    String meeting;
    String botToken;
    String connection;
    String user;
    try (App server = server(before)) {
      user =
          admin(server)
              .post("/admin/users", Map.of("email", "a@example.org"))
              .expect(201)
              .json()
              .path("id")
              .toString();
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

package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole App as one: its document, and each answer held against it. */
class AppTest {
  private static final String ADMIN = "the-admins-token";

  @TempDir private static Path folder;
  private static Simulator simulator;
  private static App app;

  @BeforeAll
  static void start() {
    simulator = Simulator.start(SimulatorConfig.defaults());
    app = App.start(config(Map.of()), EnumSet.allOf(NodeRole.class), folder);
  }

  @AfterAll
  static void stop() {
    app.close();
    simulator.close();
  }

  private static ServerConfig config(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", LocalStores.forTests().freshDatabase());
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_DAILY_API_URL", simulator.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", simulator.apiKey());
    settings.put("CONVOKE_BOT_COMMAND", "exec sleep 30");
    settings.putAll(more);
    return ServerConfig.of(settings);
  }

  @Test
  void theDocumentIsValidAndNamesEveryRouteOfTheContractSoFar() {
    ContractClient anybody = ContractClient.of(app.url());
    anybody.expectValidDocument();
    String document = anybody.get("/openapi.yaml").expect(200).body();
    assertThat(document)
        .contains(
            "/admin/users/{id}/tokens",
            "/admin/tokens/{id}",
            "/meetings/{id}/timeline",
            "/meetings/{id}/participants",
            "/transcripts/{meeting_id}",
            "/recordings",
            "/recordings/{id}",
            "/recordings/{id}/match",
            "/recordings/{id}/retry",
            "/meetings/{id}/recordings",
            "/webhooks/daily",
            "/bots/start",
            "/bots/stop",
            "/bots/config",
            "/bots/active",
            "/bots/status",
            "/bots/schedule",
            "/bots/internal/callback/started",
            "/bots/internal/callback/joining",
            "/bots/internal/callback/awaiting_admission",
            "/bots/internal/callback/exited",
            "/bots/internal/callback/status_change",
            "/callback/started",
            "/callback/joined",
            "/callback/heartbeat",
            "/callback/status",
            "/callback/exited",
            "/callback/ack",
            "/callback/transcript",
            "/sync-status",
            "/sync-status/problems",
            "/sync-status/{meeting_id}/retry",
            "/tasks",
            "/tasks/{id}",
            "/tasks/{id}/stop",
            "/tasks/{id}/timeline",
            "/tasks/{id}/requeue",
            "/dead-letters/tasks",
            "/dead-letters/tasks/requeue",
            "/dead-letters/tasks/discard",
            "/regions",
            "/pods",
            "/pods/{pod_id}/drain",
            "/pods/{pod_id}/resume",
            "/webhook-endpoints",
            "/webhook-endpoints/{id}/deliveries/{delivery_id}/resend",
            "/events",
            "/session",
            "/livez",
            "/readyz",
            "/metrics");
  }

  @Test
  void readyzListsPresenceAndStaysReady() {
    ContractClient anybody = ContractClient.of(app.url());
    List<String> components =
        anybody
            .get("/readyz?verbose")
            .expect(200)
            .json()
            .path("components")
            .findValuesAsString("name");
    assertThat(components).contains("database", "redis", "presence", "dispatch", "sync");
  }

  @Test
  void everyAnswerOfABotsLifeKeepsTheDocument() {
    simulator.world().ensure(RoomRequest.named("stand-up"));
    ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
    long id =
        admin
            .post("/admin/users", Map.of("email", "a@example.org"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    String key =
        admin
            .post("/admin/users/" + id + "/tokens", Map.of())
            .expect(201)
            .json()
            .path("token")
            .asString();
    ContractClient user = ContractClient.of(app.url()).with("X-API-Key", key);
    Map<String, String> wanted = Map.of("platform", "daily", "native_meeting_id", "stand-up");

    long tracked = user.post("/meetings", wanted).expect(201).json().path("id").asLong();
    long bot = user.post("/bots/start", wanted).expect(201).json().path("id").asLong();
    user.post("/bots/start", wanted).expect(409);
    user.post("/bots/start", Map.of("platform", "daily", "native_meeting_id", "other"))
        .expect(429, "bot_limit_reached");

    user.get("/bots/status?meeting_id=" + bot).expect(200);
    user.get("/bots/status").expect(200);
    user.get("/bots/active").expect(200);
    user.get("/meetings?status=active&platform=daily&limit=1").expect(200);
    user.get("/meetings/" + tracked).expect(200);
    user.get("/meetings/" + tracked + "/participants?active=true").expect(200);
    user.get("/meetings/" + bot + "/timeline").expect(200);
    user.get("/transcripts/" + bot).expect(200);
    user.patch("/meetings/" + tracked, Map.of("data", Map.of("title", "Stand-up"))).expect(200);
    user.put("/bots/config", Map.of("meeting_id", bot, "language", "de")).expect(202);
    user.post("/bots/stop", Map.of("meeting_id", bot)).expect(202);
    user.get("/events?limit=5&subject=meeting:" + bot).expect(200);

    user.get("/meetings/999999").expect(404);
    user.get("/meetings/one").expect(400);
    user.get("/meetings?limit=0").expect(400);
    user.get("/meetings?cursor=garbage").expect(400);
    user.get("/admin/users").expect(403);
    ContractClient.of(app.url()).get("/meetings").expect(401);
    user.get("/readyz?verbose").expect(200);
    user.get("/livez").expect(200);
  }

  @Test
  void theRoleApiServesAndConsumesNothing(@TempDir Path other) {
    try (App api = App.start(config(Map.of()), Set.of(NodeRole.API), other)) {
      ContractClient admin = ContractClient.of(api.url()).with("X-Admin-API-Key", ADMIN);
      long id =
          admin
              .post("/admin/users", Map.of("email", "b@example.org"))
              .expect(201)
              .json()
              .path("id")
              .asLong();
      long meeting =
          admin
              .post(
                  "/bots/start?user_id=" + id,
                  Map.of("platform", "daily", "native_meeting_id", "left-alone"))
              .expect(201)
              .json()
              .path("id")
              .asLong();
      var status = admin.get("/bots/status?meeting_id=" + meeting).expect(200).json();
      assertThat(status.path("status").asString()).isEqualTo("reserved");
      assertThat(
              admin
                  .get("/meetings/" + meeting)
                  .expect(200)
                  .json()
                  .path("bot_container_id")
                  .isNull())
          .isTrue();
    }
  }
}

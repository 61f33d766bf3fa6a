package io.convoke.server;

import static io.lettuce.core.codec.StringCodec.UTF8;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.launch.Await;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Law 1 for a Redis that answers and refuses: whole servers, from outside. */
class RefusingRedisTest {
  private static final String ADMIN = "the-admins-token";
  private static final String INTERNAL = "the-internal-token";
  private static final String SECRET = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ=";
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path folder;
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());
  private final String database = MigratedDatabase.url();
  private final EmbeddedRedis embeddedRedis = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(embeddedRedis.url());

  @AfterEach
  void close() {
    redis.close();
    embeddedRedis.close();
    sim.close();
  }

  /** Memory is full; or Redis has too few replicas, as it also says when it cannot save. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"maxmemory,1,0", "min-replicas-to-write,3,0"})
  void whatIsAcceptedWhileRedisRefusesIsServedWhenItTakesWritesAgain(
      String parameter, String refusing, String serving) {
    try (App app = App.start(config(), EnumSet.allOf(NodeRole.class), folder)) {
      ContractClient ann = user(app);
      var _ = sim.world().ensure(RoomRequest.named("call"));
      long call = meeting(ann, "call");
      until(() -> participants(ann, call).path("as_of").isString());

      String _ = redis.call(commands -> commands.configSet(parameter, refusing));
      ann.post("/tasks", task("a")).expect(202);
      ann.post("/tasks", task("b")).expect(202);
      ann.post("/tasks/b/stop").expect(202);
      assertThat(meeting(ann, "another")).isPositive();
      long bot = bot(ann);
      ann.post("/bots/stop", Map.of("meeting_id", bot)).expect(202);
      ContractClient.of(app.url())
          .with("Authorization", "Bearer " + INTERNAL)
          .post("/sync-status", Map.of("meeting_id", Long.toString(call), "status", "in_progress"))
          .expect(200);
      assertThat(
              ann.get("/sync-status?meeting_id=" + call).expect(200).body().contains("in_progress"))
          .isTrue();
      assertThat(webhook(app, recording("r1"))).isEqualTo(200);
      String session =
          switch (sim.world().join("call", Visitor.named("Ada"))) {
            case JoinResult.JoinedMeeting joinedMeeting -> joinedMeeting.session().sessionId();
            case JoinResult other -> throw new AssertionError(other);
          };
      assertThat(webhook(app, joined(session))).isEqualTo(200);
      assertThat(webhook(app, "{\"version\":\"1\",\"type\":\"new.kind\",\"id\":\"x\"}"))
          .isEqualTo(200);
      assertThat(ContractClient.of(app.url()).get("/livez").status()).isEqualTo(200);

      String _ = redis.call(commands -> commands.configSet(parameter, serving));
      try (Pod _ =
          new Pod(
              redis,
              new PodId("pod-1", "us-east-1"),
              2,
              PodCapacity.COUNT_ONLY,
              DispatchConfig.seed(),
              run -> new AttemptOutcome.AttemptDone())) {
        until(() -> state(ann, "a").equals("SUCCESS"));
      }
      until(() -> state(ann, "b").equals("FAILED"));
      until(() -> participants(ann, call).path("num_clients").asInt() == 1);
      until(() -> known("r1"));
    }
  }

  @Test
  void aRightThatRedisTakesBackCostsNoAcceptedWork() {
    try (App app = App.start(config(), EnumSet.allOf(NodeRole.class), folder)) {
      ContractClient ann = user(app);
      long _ = meeting(ann, "call");
      acl("-@write");
      ann.post("/tasks", task("a")).expect(202);
      assertThat(webhook(app, recording("r1"))).isEqualTo(200);
      assertThat(webhook(app, joined("s1"))).isEqualTo(200);
      acl("+@write");
      try (Pod _ =
          new Pod(
              redis,
              new PodId("pod-1", "us-east-1"),
              2,
              PodCapacity.COUNT_ONLY,
              DispatchConfig.seed(),
              run -> new AttemptOutcome.AttemptDone())) {
        until(() -> state(ann, "a").equals("SUCCESS"));
      }
      until(() -> known("r1"));
    }
  }

  private void acl(String rule) {
    CommandArgs<String, String> change =
        new CommandArgs<>(UTF8).add("SETUSER").add("default").add(rule);
    String _ =
        redis.call(
            commands -> commands.dispatch(CommandType.ACL, new StatusOutput<>(UTF8), change));
  }

  private static long meeting(ContractClient ann, String room) {
    return ann.post("/meetings", Map.of("platform", "daily", "native_meeting_id", room))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static long bot(ContractClient ann) {
    return ann.post(
            "/bots/start", Map.of("platform", "google_meet", "native_meeting_id", "abc-defg-hij"))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static JsonNode participants(ContractClient ann, long meeting) {
    return ann.get("/meetings/" + meeting + "/participants").expect(200).json();
  }

  private static String state(ContractClient ann, String task) {
    return ann.get("/tasks/" + task).expect(200).json().path("state").asString();
  }

  private boolean known(String recording) {
    try (Database rows =
        Database.open(DatabaseUrl.parse(database), 1, "test", Migrations.SCHEMAS)) {
      return rows.read(
          tx ->
              tx.sql("select exists (select from recordings where recording_id = ?) as known")
                  .with(recording)
                  .one(resultRow -> resultRow.booleanAt("known")));
    }
  }

  private static void until(BooleanSupplier holds) {
    Await.until(SOON, holds);
  }

  private static int webhook(App app, String body) {
    String timestamp = Long.toString(Instant.now().getEpochSecond());
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(Base64.getDecoder().decode(SECRET), "HmacSHA256"));
      byte[] signature = mac.doFinal((timestamp + "." + body).getBytes(StandardCharsets.UTF_8));
      return ContractClient.of(app.url())
          .with("X-Webhook-Signature", Base64.getEncoder().encodeToString(signature))
          .with("X-Webhook-Timestamp", timestamp)
          .json("POST", "/webhooks/daily", body)
          .status();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static String recording(String id) {
    return """
    {"version":"1.0.0","type":"recording.ready-to-download","id":"e-%s","event_ts":%d,
     "payload":{"recording_id":"%s","room_name":"call","start_ts":%d,"status":"finished",
      "max_participants":1,"duration":60,"s3_key":"k"}}
    """
        .formatted(id, Instant.now().getEpochSecond(), id, Instant.now().getEpochSecond() - 60);
  }

  private static String joined(String session) {
    long now = Instant.now().getEpochSecond();
    return """
    {"version":"1.0.0","type":"participant.joined","id":"e-%s","event_ts":%d,
     "payload":{"session_id":"%s","room":"call","user_name":"Ada","joined_at":%d}}
    """
        .formatted(session, now, session, now);
  }

  private static Map<String, Object> task(String id) {
    return Map.of(
        "id", id,
        "request_id", "req_" + id,
        "type", "snapshot",
        "action", "start",
        "channel", "meeting-room-alpha",
        "region", "us-east-1",
        "payload", Map.of());
  }

  private static ContractClient user(App app) {
    ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
    long id =
        admin
            .post("/admin/users", Map.of("email", "ann@example.org", "max_concurrent_bots", 5))
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
    return ContractClient.of(app.url()).with("X-API-Key", key);
  }

  private ServerConfig config() {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", database);
    settings.put("CONVOKE_REDIS_URL", embeddedRedis.url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_INTERNAL_TOKEN", INTERNAL);
    settings.put("CONVOKE_DAILY_API_URL", sim.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", sim.apiKey());
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", SECRET);
    settings.put("CONVOKE_BOT_COMMAND", "exec sleep 30");
    // The test asks again and again.
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    return ServerConfig.of(settings);
  }
}

package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.server.launch.Await;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole server on a primary that was demoted: 503, and it goes on when there is one again. */
@Tag("nightly")
class ReadOnlyDatabaseTest {
  private static final String ADMIN = "the-admins-token";
  private static final String INTERNAL = "the-internal-token";
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path folder;

  @Test
  void writesAre503WithRetryAfterUntilTheServerTakesThemAgain() throws Exception {
    try (EmbeddedPostgres embeddedPostgres = LocalStores.forTests().ownPostgres();
        App app =
            App.start(
                config(embeddedPostgres.url("postgres")), EnumSet.allOf(NodeRole.class), folder)) {
      ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
      ContractClient internal =
          ContractClient.of(app.url()).with("Authorization", "Bearer " + INTERNAL);
      ContractClient ann = user(admin);
      long known = meeting(ann, "before").expect(201).json().path("id").asLong();
      readOnly(embeddedPostgres, true);
      until(() -> meeting(ann, "refused").status() == 503);

      refused(meeting(ann, "one"));
      refused(meeting(ann.with("Idempotency-Key", "k1"), "two"));
      refused(bot(ann));
      refused(ann.post("/tasks", task()));
      refused(ann.post("/webhook-endpoints", Map.of("url", "http://127.0.0.1:9/hook")));
      refused(admin.post("/admin/users", Map.of("email", "bob@example.org")));
      refused(
          internal.post(
              "/sync-status", Map.of("meeting_id", Long.toString(known), "status", "in_progress")));
      ann.get("/meetings/" + known).expect(200);
      ann.get("/tasks").expect(200);
      assertThat(ContractClient.of(app.url()).get("/livez").status()).isEqualTo(200);

      readOnly(embeddedPostgres, false);
      until(() -> meeting(ann.with("Idempotency-Key", "k1"), "two").status() == 201);
      bot(ann).expect(201);
      ann.post("/tasks", task()).expect(202);
    }
  }

  private static void refused(Answered answer) {
    answer.expect(503, "unavailable");
    assertThat(answer.header("Retry-After")).isNotEmpty();
  }

  private static Answered meeting(ContractClient ann, String room) {
    return ann.post("/meetings", Map.of("platform", "daily", "native_meeting_id", room));
  }

  private static Answered bot(ContractClient ann) {
    return ann.post(
        "/bots/start", Map.of("platform", "google_meet", "native_meeting_id", "abc-defg-hij"));
  }

  private static Map<String, Object> task() {
    return Map.of(
        "id", "a",
        "request_id", "req_a",
        "type", "snapshot",
        "action", "start",
        "channel", "meeting-room-alpha",
        "region", "us-east-1",
        "payload", Map.of());
  }

  private static ContractClient user(ContractClient admin) {
    long id =
        admin
            .post("/admin/users", Map.of("email", "ann@example.org"))
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
    return ContractClient.of(admin.url()).with("X-API-Key", key);
  }

  private static void until(BooleanSupplier holds) {
    Await.until(SOON, holds);
  }

  private static void readOnly(EmbeddedPostgres embeddedPostgres, boolean on) throws SQLException {
    try (Connection connection = embeddedPostgres.connect("postgres");
        Statement statement = connection.createStatement()) {
      boolean _ =
          statement.execute(
              "alter system set default_transaction_read_only = " + (on ? "on" : "off"));
      boolean _ = statement.execute("select pg_reload_conf()");
    }
  }

  private static ServerConfig config(String database) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", database);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_INTERNAL_TOKEN", INTERNAL);
    settings.put("CONVOKE_BOT_COMMAND", "exec sleep 30");
    settings.put("CONVOKE_SYNC_WRITE_DEADLINE", "1s");
    settings.put("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true");
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    return ServerConfig.of(settings);
  }
}

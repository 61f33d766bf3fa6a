package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A user who has as many bytes as the quota permits has pods store no further files. */
class EgressQuotaTest {
  private static final String ADMIN = "the-admins-token";

  @TempDir private static Path folder;

  @Test
  void whoIsOverTheLimitNeitherStartsNorRequeuesWhatStoresFiles() {
    String url = MigratedDatabase.url();
    try (FakeJanus janus = new FakeJanus();
        Database database = Database.open(DatabaseUrl.parse(url), 1, "test", Migrations.SCHEMAS);
        App app = App.start(settings(url, janus), EnumSet.of(NodeRole.API), folder)) {
      ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
      long user =
          admin
              .post("/admin/users", Map.of("email", "ann@example.org"))
              .expect(201)
              .json()
              .path("id")
              .asLong();
      ContractClient ann =
          ContractClient.of(app.url())
              .with(
                  "X-API-Key",
                  admin
                      .post("/admin/users/" + user + "/tokens")
                      .expect(201)
                      .json()
                      .path("token")
                      .asString());
      admin.put("/rooms/janus/vault", Map.of("user_id", user)).expect(200);
      fill(database, user);
      dead(database, user, "record");
      dead(database, user, "push");

      submit(ann, "record").expect(429, "quota_exceeded");
      ann.post("/tasks/dead-record/requeue").expect(429, "quota_exceeded");
      requeue(ann, List.of("dead-push", "dead-record")).expect(429, "quota_exceeded");
      requeue(admin, List.of("dead-record")).expect(202);

      submit(ann, "push").expect(202);
      assertThat(
              requeue(ann, List.of("dead-push"))
                  .expect(202)
                  .json()
                  .path("items")
                  .path(0)
                  .path("outcome")
                  .asString())
          .isEqualTo("requeued");
    }
  }

  private static ServerConfig settings(String url, FakeJanus janus) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", url);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    // Of this test alone: it shares a Redis, where the ids of requeued tasks follow from the key.
    settings.put("CONVOKE_SECRET_KEY", "AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_QUOTA_STORED_BYTES", "1k");
    settings.put("CONVOKE_JANUS_ADMIN_URL", janus.adminUrl().toString());
    settings.put("CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET);
    settings.put("CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY);
    return ServerConfig.of(settings);
  }

  private static ContractClient.Answered submit(ContractClient client, String kind) {
    return client.post(
        "/tasks",
        Map.of(
            "request_id",
            "vault-" + kind,
            "type",
            "egress",
            "action",
            "start",
            "channel",
            "vault",
            "payload",
            Map.of("kind", kind)));
  }

  private static ContractClient.Answered requeue(ContractClient client, List<String> ids) {
    return client.post("/dead-letters/tasks/requeue", Map.of("ids", ids));
  }

  private static void fill(Database database, long user) {
    sql(
        database,
        """
        insert into egresses (task_id, user_id, room, kind, state, created_at, ended_at, bytes)
        values ('full', ?, 'vault', 'record', 'SUCCESS', now(), now(), 1024)
        """,
        user);
  }

  private static void dead(Database database, long user, String kind) {
    sql(
        database,
        """
        insert into tasks (id, request_id, state, channel, spec, user_id, error, completed_at)
        select id, id, 'FAILED', 'vault',
          jsonb_build_object('id', id, 'request_id', id, 'type', 'egress', 'action', 'start',
            'channel', 'vault', 'user_id', owner,
            'payload', jsonb_build_object('kind', kind)),
          owner, 'x', now()
        from (values (?::text, ?::bigint, ?::text)) as dead(id, owner, kind)
        """,
        "dead-" + kind,
        user,
        kind);
  }

  private static void sql(Database database, String statement, Object... parameters) {
    database.run(
        tx -> {
          int _ = tx.sql(statement).with(parameters).update();
        });
  }
}

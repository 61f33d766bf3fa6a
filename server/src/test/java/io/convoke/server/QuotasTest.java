package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.server.http.EventReader;
import io.convoke.server.launch.Await;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A user has as much as the quotas permit, and is told so. */
class QuotasTest {
  @TempDir private static Path folder;
  private static TwoNodes nodes;
  private static ContractClient admin;
  private static int users;

  private long user;
  private ContractClient ann;

  @BeforeAll
  static void start() {
    nodes =
        TwoNodes.start(
            folder,
            Map.of(
                "CONVOKE_QUOTA_TASKS", "3",
                "CONVOKE_QUOTA_MEETINGS", "2",
                "CONVOKE_QUOTA_SCHEDULES", "1",
                "CONVOKE_QUOTA_STREAMS", "2",
                "CONVOKE_QUOTA_WEBHOOKS", "1",
                "CONVOKE_QUOTA_STORED_BYTES", "1k"));
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
            .post(
                "/admin/users",
                Map.of("email", "user" + users + "@example.org", "max_concurrent_bots", 10))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    ann =
        nodes
            .one()
            .with(
                "X-API-Key",
                admin
                    .post("/admin/users/" + user + "/tokens")
                    .expect(201)
                    .json()
                    .path("token")
                    .asString());
  }

  private Answered task(ContractClient caller, String request) {
    return caller.json(
        "POST",
        "/tasks",
        """
        {"request_id": "%s", "type": "snapshot", "action": "start", "channel": "c", "payload": {}}
        """
            .formatted(request));
  }

  private Answered track(String room) {
    return ann.post("/meetings", Map.of("platform", "daily", "native_meeting_id", ownRoom(room)));
  }

  /** The tests share a server, where a room of another user would be refused. */
  private String ownRoom(String name) {
    return user + "-" + name;
  }

  private Answered schedule(String room) {
    return ann.post(
        "/bots/start",
        Map.of(
            "platform",
            "daily",
            "native_meeting_id",
            ownRoom(room),
            "start_at",
            Instant.now().plusSeconds(3600).toString()));
  }

  private static void exceeded(Answered answered, String quota, long used, long limit) {
    JsonNode problem = answered.expect(429, "quota_exceeded").json();
    assertThat(problem.path("quota").asString()).isEqualTo(quota);
    assertThat(problem.path("used").asLong()).isEqualTo(used);
    assertThat(problem.path("limit").asLong()).isEqualTo(limit);
  }

  private Map<String, String> usage() {
    Map<String, String> usage = new TreeMap<>();
    ann.get("/usage")
        .expect(200)
        .json()
        .path("items")
        .forEach(
            item ->
                usage.put(
                    item.path("name").asString(), item.path("used") + " of " + item.path("limit")));
    return usage;
  }

  @Test
  void openTasks() {
    for (String request : new String[] {"r1", "r2", "r3"}) {
      task(ann, request).expect(202);
    }
    exceeded(task(ann, "r4"), "tasks", 3, 3);
    task(ann, "r3").expect(200);
    task(admin, "r4").expect(202);
    assertThat(usage()).containsEntry("tasks", "3 of 3");

    String id = task(ann, "r1").expect(200).json().path("id").asString();
    ann.post("/tasks/" + id + "/stop").expect(202);
    Await.until("one task less", () -> "2 of 3".equals(usage().get("tasks")));
    task(ann, "r4").expect(202);
  }

  /** A server submits such a task; requests of users may be called so too. */
  @Test
  void tasksThatFinishAnEgressTakeNoPlace() {
    finishing("egress", "finish");
    assertThat(usage()).containsEntry("tasks", "0 of 3");
    finishing("egress", "start");
    finishing("snapshot", "finish");
    task(ann, "finish.mine").expect(202);
    assertThat(usage()).containsEntry("tasks", "3 of 3");
    exceeded(task(ann, "r4"), "tasks", 3, 3);
  }

  /** An open task whose request has the name of one that finishes an egress. */
  private void finishing(String type, String action) {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into tasks (id, request_id, state, channel, spec, user_id, queued_at)
                        select id, 'finish.' || id, 'PENDING', 'c',
                          jsonb_build_object('id', id, 'request_id', 'finish.' || id, 'type', kind,
                            'action', action, 'channel', 'c', 'user_id', owner,
                            'payload', '{}'::jsonb),
                          owner, now()
                        from (values (?, ?, ?, ?::bigint)) as task (id, kind, action, owner)
                        """)
                    .with(type + "-" + action + "-" + user, type, action, user)
                    .update();
          });
    }
  }

  @Test
  void requeuedTasks() {
    List<String> ids = List.of("quotas-one-" + user, "quotas-two-" + user);
    dead(ids);
    task(ann, "r1").expect(202);
    task(ann, "r2").expect(202);
    exceeded(requeue(ids), "tasks", 2, 3);
    assertThat(usage()).as("none of them").containsEntry("tasks", "2 of 3");
    requeue(ids.subList(0, 1)).expect(202);
    exceeded(requeue(ids), "tasks", 3, 3);
    requeue(ids.subList(0, 1)).expect(202);
    // As after a kill between the new task and the note that it was made.
    write("delete from task_settlements where task_id = any(?)", ids);
    requeue(ids.subList(0, 1)).expect(202);
  }

  private void write(String sql, List<String> ids) {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ = tx.sql(sql).with((Object) ids.toArray(String[]::new)).update();
          });
    }
  }

  private Answered requeue(List<String> ids) {
    return ann.post("/dead-letters/tasks/requeue", Map.of("ids", ids));
  }

  private void dead(List<String> ids) {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into tasks (id, request_id, state, channel, spec, user_id, error,
                          completed_at)
                        select id, id, 'FAILED', 'c',
                          jsonb_build_object('id', id, 'request_id', id, 'type', 'snapshot',
                            'action', 'start', 'channel', 'c', 'user_id', ?::bigint,
                            'payload', '{}'::jsonb),
                          ?, 'x', now()
                        from unnest(?) as dead(id)
                        """)
                    .with(user, user, ids.toArray(String[]::new))
                    .update();
          });
    }
  }

  @Test
  void trackedMeetings() {
    track("one").expect(201);
    track("two").expect(201);
    exceeded(track("three"), "meetings", 2, 2);
    assertThat(usage()).containsEntry("meetings", "2 of 2");
    admin
        .post(
            "/meetings?user_id=" + user,
            Map.of("platform", "daily", "native_meeting_id", ownRoom("three")))
        .expect(201);
  }

  @Test
  void scheduledBots() {
    schedule("one").expect(201);
    exceeded(schedule("two"), "schedules", 1, 1);
    ann.post("/bots/start", Map.of("platform", "daily", "native_meeting_id", ownRoom("now")))
        .expect(201);
    assertThat(usage()).containsEntry("schedules", "1 of 1");
  }

  @Test
  void webhookEndpoints() {
    ann.post("/webhook-endpoints", Map.of("url", "http://127.0.0.1:1/hook")).expect(201);
    exceeded(
        ann.post("/webhook-endpoints", Map.of("url", "http://127.0.0.1:1/hook")), "webhooks", 1, 1);
  }

  @Test
  void eventStreams() {
    try (EventReader _ = ann.events("/events");
        EventReader _ = ann.events("/events")) {
      Await.until("two streams", () -> "2 of 2".equals(usage().get("streams")));
      exceeded(ann.with("Accept", "text/event-stream").get("/events"), "streams", 2, 2);
      ann.get("/events").expect(200);
    }
  }

  @Test
  void storedBytes() {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 2, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into recordings (recording_id, room_name, user_id, status, blob_key,
                          blob_size)
                        values (?, 'stand-up', ?, 'done', 'key', 1000)
                        """)
                    .with("rec-" + user, user)
                    .update();
            int _ =
                tx.sql(
                        """
                        with uploading as (
                          insert into recordings (recording_id, room_name, user_id, status, kind)
                          values (?, 'stand-up', ?, 'in_progress', 'bot') returning recording_id)
                        insert into recording_parts (recording_id, part, blob_key, blob_size)
                        select recording_id, n, 'part-' || n, 12
                        from uploading, generate_series(1, 2) n
                        """)
                    .with("bot-" + user, user)
                    .update();
          });
    }
    assertThat(usage()).containsEntry("stored_bytes", "1024 of 1024");
    exceeded(track("one"), "stored_bytes", 1024, 1024);
    exceeded(
        ann.post("/bots/start", Map.of("platform", "daily", "native_meeting_id", ownRoom("now"))),
        "stored_bytes",
        1024,
        1024);
  }

  /** A bot's recording becomes a file of the whole meeting and a track for each participant. */
  @Test
  void storedBytesOfTheTracksOfABotsRecording() {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 2, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        with done as (
                          insert into recordings (recording_id, room_name, user_id, status, kind,
                            blob_key, blob_size)
                          select 'bot-' || n || '-' || u, 'stand-up', u, 'done', 'bot',
                            case n when 1 then 'audio-' || u end, case n when 1 then 100 end
                          from (select ?::bigint as u) users, generate_series(1, 2) n
                          returning recording_id)
                        insert into recording_tracks
                          (recording_id, track, platform_key, blob_key, blob_size)
                        select recording_id, n, 'bot:ada',
                          case when n < 3 then recording_id || '/track-' || n end, 40
                        from done, generate_series(1, 3) n
                        """)
                    .with(user)
                    .update();
          });
    }
    assertThat(usage()).containsEntry("stored_bytes", "260 of 1024");
  }

  @Test
  void anOperatorAsksForAUser() {
    assertThat(admin.get("/usage?user_id=" + user).expect(200).json().path("items")).hasSize(7);
    admin.get("/usage").expect(400);
  }
}

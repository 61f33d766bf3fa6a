package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What operators and keys change is in the audit journal, and nothing else. */
class AuditTest {
  @TempDir private static Path folder;
  private static TwoNodes nodes;
  private static ContractClient admin;
  private static int users;

  private long user;
  private long keyId;
  private String secret = "";
  private ContractClient ann;

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
    JsonNode issued =
        admin
            .json("POST", "/admin/users/" + user + "/tokens", "{\"name\":\"laptop\"}")
            .expect(201)
            .json();
    keyId = issued.path("id").asLong();
    secret = issued.path("token").asString();
    ann = nodes.one().with("X-API-Key", secret);
  }

  private static JsonNode newest(int count) {
    return admin.get("/admin/audit?limit=" + count).expect(200).json().path("items");
  }

  private static JsonNode newest() {
    return newest(1).get(0);
  }

  private static long rows() {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 2, "test", Migrations.SCHEMAS)) {
      return database.read(
          tx ->
              tx.sql("select count(*) as n from audit_log")
                  .one(resultRow -> resultRow.longAt("n")));
    }
  }

  @Test
  void usersAndTheirKeys() {
    JsonNode issued = newest();
    assertThat(issued.path("action").asString()).isEqualTo("issueToken");
    assertThat(issued.path("actor").asString()).isEqualTo("admin");
    assertThat(issued.path("key_id").isNull()).isTrue();
    assertThat(issued.path("address").asString()).isEqualTo("127.0.0.1");
    assertThat(issued.path("target").asString()).isEqualTo("token:" + keyId);
    assertThat(issued.path("before").isNull()).isTrue();
    assertThat(issued.at("/after/name").asString()).isEqualTo("laptop");
    assertThat(issued.at("/after/user_id").asLong()).isEqualTo(user);
    assertThat(issued.path("at").asString()).endsWith("Z");
    assertThat(admin.get("/admin/audit?limit=200").body()).doesNotContain(secret);

    admin.patch("/admin/users/" + user, Map.of("disabled", true)).expect(200);
    JsonNode disabled = newest();
    assertThat(disabled.path("action").asString()).isEqualTo("changeUser");
    assertThat(disabled.path("target").asString()).isEqualTo("user:" + user);
    assertThat(disabled.at("/before/disabled").asBoolean()).isFalse();
    assertThat(disabled.at("/after/disabled").asBoolean()).isTrue();

    admin.delete("/admin/tokens/" + keyId).expect(204);
    assertThat(newest().path("action").asString()).isEqualTo("revokeToken");
    assertThat(newest().path("target").asString()).isEqualTo("token:" + keyId);
  }

  @Test
  void aKeyIsNamedByItsNumber() {
    JsonNode meeting =
        ann.post("/meetings", Map.of("platform", "daily", "native_meeting_id", "stand-up"))
            .expect(201)
            .json();
    JsonNode tracked = newest();
    assertThat(tracked.path("action").asString()).isEqualTo("trackMeeting");
    assertThat(tracked.path("actor").asString()).isEqualTo("user:" + user);
    assertThat(tracked.path("key_id").asLong()).isEqualTo(keyId);
    assertThat(tracked.at("/after/native_meeting_id").asString()).isEqualTo("stand-up");

    ann.patch("/meetings/" + meeting.path("id").asLong(), Map.of("data", Map.of("a", 1)))
        .expect(200);
    assertThat(newest().at("/after/data/a").asInt()).isEqualTo(1);
    ann.patch(
            "/meetings/" + meeting.path("id").asLong(),
            Map.of("data", Map.of("text", "x".repeat(100_000))))
        .expect(200);
    assertThat(newest().at("/after/omitted_characters").asInt()).isGreaterThan(100_000);
    assertThat(newest().at("/before/data/a").asInt()).isEqualTo(1);
  }

  /** Words go when their recording is deleted, and the audit journal stays. */
  @Test
  void aCorrectionIsNamedWithoutItsWords() {
    long meeting =
        ann.post("/meetings", Map.of("platform", "daily", "native_meeting_id", "retro"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    long segment;
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 2, "test", Migrations.SCHEMAS)) {
      segment =
          database.read(
              tx ->
                  tx.sql(
                          """
                          insert into transcriptions (meeting_id, start_time, end_time, text)
                          values (?, 0, 1, 'The old words') returning id
                          """)
                      .with(meeting)
                      .one(resultRow -> resultRow.longAt("id")));
    }
    ann.patch("/transcripts/" + meeting + "/segments/" + segment, Map.of("text", "The new words"))
        .expect(200);
    JsonNode corrected = newest();
    assertThat(corrected.path("action").asString()).isEqualTo("correctSegment");
    assertThat(corrected.path("target").asString()).isEqualTo("meeting:" + meeting);
    assertThat(corrected.at("/after/segment_id").asLong()).isEqualTo(segment);
    assertThat(corrected.at("/after/text").asBoolean()).isTrue();
    assertThat(corrected.at("/after/speaker").asBoolean()).isFalse();
    assertThat(corrected.toString()).doesNotContain("words");
  }

  @Test
  void whoseARoomWasAndBecomes() {
    String name = "moved-" + user;
    String path = "/rooms/daily/" + name;
    long other =
        admin
            .post("/admin/users", Map.of("email", "next" + users + "@example.org"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    admin.put(path, Map.of("user_id", user)).expect(200);
    JsonNode assigned = newest();
    assertThat(assigned.path("action").asString()).isEqualTo("assignRoom");
    assertThat(assigned.path("target").asString()).isEqualTo("room:daily/" + name);
    assertThat(assigned.path("before").isNull()).isTrue();
    assertThat(assigned.at("/after/user_id").asLong()).isEqualTo(user);

    admin.put(path, Map.of("user_id", other)).expect(200);
    JsonNode moved = newest();
    assertThat(moved.at("/before/user_id").asLong()).isEqualTo(user);
    assertThat(moved.at("/after/user_id").asLong()).isEqualTo(other);

    admin.delete(path).expect(204);
    JsonNode released = newest();
    assertThat(released.path("action").asString()).isEqualTo("releaseRoom");
    assertThat(released.at("/before/user_id").asLong()).isEqualTo(other);
    assertThat(released.path("after").isNull()).isTrue();
  }

  @Test
  void anOperatorIsNamed() {
    String key =
        admin
            .post("/admin/users/" + user + "/tokens", Map.of("scopes", List.of("admin")))
            .expect(201)
            .json()
            .path("token")
            .asString();
    nodes.one().with("X-API-Key", key).post("/admin/users", Map.of("email", "by@x.org"));
    assertThat(newest().path("actor").asString()).isEqualTo("operator:" + user);
    assertThat(newest().path("key_id").asLong()).isPositive();
  }

  @Test
  void webhooksAndBotsAndTasks() {
    long endpoint =
        ann.post("/webhook-endpoints", Map.of("url", "http://127.0.0.1:1/hook"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    assertThat(newest().path("target").asString()).isEqualTo("webhook_endpoint:" + endpoint);
    assertThat(newest().at("/after/url").asString()).isEqualTo("http://127.0.0.1:1/hook");
    assertThat(newest().path("after").has("secret")).isFalse();
    ann.delete("/webhook-endpoints/" + endpoint).expect(204);
    assertThat(newest().at("/before/id").asLong()).isEqualTo(endpoint);

    long bot =
        ann.post("/bots/start", Map.of("platform", "daily", "native_meeting_id", "bots"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    assertThat(newest().path("action").asString()).isEqualTo("startBot");
    ann.post("/bots/stop", Map.of("meeting_id", bot, "kill", true)).expect(202);
    JsonNode stopped = newest();
    assertThat(stopped.path("action").asString()).isEqualTo("stopBot");
    assertThat(stopped.path("target").asString()).isEqualTo("meeting:" + bot);
    assertThat(stopped.at("/after/kill").asBoolean()).isTrue();

    String task =
        "{\"id\":\"t"
            + user
            + "\",\"request_id\":\"r1\",\"type\":\"snapshot\",\"action\":\"start\","
            + "\"channel\":\"c1\",\"payload\":{\"access_token\":\"hidden\"}}";
    ann.json("POST", "/tasks", task).expect(202);
    assertThat(newest().path("target").asString()).isEqualTo("task:t" + user);
    assertThat(newest().toString()).doesNotContain("hidden");
    ann.post("/tasks/t" + user + "/stop").expect(202);
    assertThat(newest().path("action").asString()).isEqualTo("stopTask");
    assertThat(newest().at("/before/state").asString()).isEqualTo("PENDING");
  }

  @Test
  void aRouteThatTellsNothingIsRecordedByItsPath() {
    admin.post("/admin/recordings/audit").expect(200);
    assertThat(newest().path("action").asString()).isEqualTo("repairRecordings");
    assertThat(newest().path("target").asString()).isEqualTo("/admin/recordings/audit");
    assertThat(newest().path("after").isNull()).isTrue();
  }

  @Test
  void whatReadsOrIsRefusedLeavesNoRow() {
    long before = rows();
    ann.get("/meetings").expect(200);
    ann.get("/admin/users").expect(403);
    ann.post("/meetings", Map.of("platform", "daily")).expect(400);
    ann.post("/webhook-endpoints/987654321/resume").expect(404);
    admin.patch("/admin/users/987654321", Map.of("name", "x")).expect(404);
    admin.patch("/admin/users/" + user, Map.of("email", "user-taken@x.org")).expect(200);
    admin.patch("/admin/users/" + user, Map.of("email", "user-taken@x.org")).expect(200);
    nodes.one().with("X-API-Key", "cvk_wrong").post("/meetings", Map.of()).expect(401);
    assertThat(rows()).isEqualTo(before + 2);
  }

  /** A refusal ends its transaction, which would carry the row and mark an Idempotency-Key. */
  @Test
  void whatIsRefusedWithinATransactionLeavesNoRow() {
    Map<String, String> meeting = Map.of("platform", "daily", "native_meeting_id", "twice-" + user);
    ann.post("/meetings", meeting).expect(201);
    ann.post("/bots/start", meeting).expect(201);
    String hook =
        "/webhook-endpoints/"
            + ann.post("/webhook-endpoints", Map.of("url", "http://127.0.0.1:1/hook"))
                .expect(201)
                .json()
                .path("id")
                .asLong();
    long before = rows();
    ann.post("/meetings", meeting).expect(409, "already_tracked");
    ann.post("/bots/start", meeting).expect(409, "bot_already_there");
    ann.post(hook + "/resume").expect(409, "webhook_endpoint_active");
    ann.post(hook + "/deliveries/987654321/resend").expect(404);
    admin
        .post("/webhook-endpoints?user_id=987654321", Map.of("url", "http://127.0.0.1:1/hook"))
        .expect(404);
    assertThat(rows()).isEqualTo(before);
  }

  /** The row is in the transaction of the change: where it cannot be written, nothing changes. */
  @Test
  void noChangeIsCommittedWithoutItsRow() {
    try (Database database =
        Database.open(DatabaseUrl.parse(nodes.database()), 2, "test", Migrations.SCHEMAS)) {
      database.run(tx -> alter(tx.sql("alter table audit_log rename to audit_log_away").update()));
      try {
        admin
            .call(
                "PATCH",
                "/admin/users/" + user,
                BodyPublishers.ofString("{\"name\":\"Changed\"}"),
                "application/json")
            .expect(500);
        ann.post("/meetings", Map.of("platform", "daily", "native_meeting_id", "not-kept"))
            .expect(500);
        // Not a transaction: it has happened, and is counted.
        admin.post("/admin/recordings/audit").expect(200);
        assertThat(admin.get("/metrics").body()).contains("convoke_audit_unwritten_total 1.0");
      } finally {
        database.run(
            tx -> alter(tx.sql("alter table audit_log_away rename to audit_log").update()));
      }
    }
    assertThat(admin.get("/admin/users/" + user).json().path("name").isNull()).isTrue();
    assertThat(ann.get("/meetings").expect(200).json().path("items")).isEmpty();
  }

  private static void alter(int changed) {
    assertThat(changed).isZero();
  }

  @Test
  void itIsListedInPagesAndAsLines() {
    for (int i = 0; i < 5; i++) {
      admin.patch("/admin/users/" + user, Map.of("name", "name " + i)).expect(200);
    }
    List<String> names = new ArrayList<>();
    String cursor = "";
    for (int page = 0; page < 3; page++) {
      JsonNode found = admin.get("/admin/audit?limit=2" + cursor).expect(200).json();
      found.path("items").forEach(item -> names.add(item.at("/after/name").asString("")));
      cursor = "&cursor=" + found.path("next_cursor").asString();
    }
    assertThat(names).startsWith("name 4", "name 3", "name 2", "name 1", "name 0");

    Answered lines =
        admin.with("Accept", "application/x-ndjson").get("/admin/audit?limit=2").expect(200);
    assertThat(lines.body().lines().map(line -> Json.read(line).at("/after/name").asString()))
        .containsExactly("name 4", "name 3");
    assertThat(lines.header("Next-Cursor")).isNotEmpty();
    ann.get("/admin/audit").expect(403, "scope_missing");
  }
}

package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.RecordedTransition;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.egress.EgressFeature;
import io.convoke.server.egress.EgressRounds;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Files that pods made of a room: who fetches them, and when they are gone. */
class EgressFilesTest {
  private static final Duration KEPT = Duration.ofDays(30);

  @TempDir private static Path folder;
  private static TwoNodes nodes;
  private static Database database;
  private static FolderBlobStore blobs;
  private static int users;

  private final long annId = user();
  private final ContractClient ann = client(annId);
  private final ContractClient bob = client(user());
  private final List<NewTask> submitted = new ArrayList<>();
  private final EgressFeature feature = feature();

  @BeforeAll
  static void start() throws Exception {
    blobs = new FolderBlobStore(folder.resolve("blobs"));
    nodes =
        TwoNodes.start(
            folder,
            Map.of(
                "CONVOKE_BLOB_STORE",
                folder.resolve("blobs").toString(),
                "CONVOKE_QUOTA_STORED_BYTES",
                "1k"));
    database = Database.open(DatabaseUrl.parse(nodes.database()), 2, "test", Migrations.SCHEMAS);
  }

  @AfterAll
  static void stop() {
    database.close();
    nodes.close();
    blobs.close();
  }

  private EgressFeature feature() {
    return feature(blobs);
  }

  private EgressFeature feature(BlobStore store) {
    EgressFeature made =
        new EgressFeature(database, store, Optional.of(KEPT), SecretBox.of(new byte[32]));
    made.onUnfinished(submitted::add);
    return made;
  }

  private static long user() {
    users++;
    return nodes
        .admin()
        .post("/admin/users", Map.of("email", "egress" + users + "@example.org"))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static ContractClient client(long user) {
    return nodes
        .one()
        .with(
            "X-API-Key",
            nodes
                .admin()
                .post("/admin/users/" + user + "/tokens")
                .expect(201)
                .json()
                .path("token")
                .asString());
  }

  private static void sql(String statement, Object... parameters) {
    database.run(
        tx -> {
          int _ = tx.sql(statement).with(parameters).update();
        });
  }

  /** A task of Ann's, whose the room is, as the store of tasks has it. */
  private void task(String id, String state, String ended) {
    task(id, state, ended, "{\"kind\": \"record\", \"access_token\": \"sealed:x\"}");
  }

  private void task(String id, String state, String ended, String payload) {
    task(id, "start", state, ended, payload);
  }

  private void task(String id, String action, String state, String ended, String payload) {
    sql(
        """
        insert into rooms (platform, room, user_id, claimed_at, opens_at)
        values ('janus', 'stage', ?, now(), now())
        on conflict (platform, room) do update set user_id = excluded.user_id
        """,
        annId);
    sql(
        """
        insert into tasks (id, request_id, state, channel, spec, user_id, completed_at)
        values (?, ?, ?, 'stage',
          jsonb_build_object('type', 'egress', 'action', ?::text, 'region', 'eu', 'payload', ?::jsonb), ?,
          ?::timestamptz)
        on conflict (id) do update
          set state = excluded.state, completed_at = excluded.completed_at
        """,
        id,
        id,
        state,
        action,
        payload,
        annId,
        Optional.of(ended).filter(it -> !it.isEmpty()));
    database.run(tx -> feature.moved(tx, List.of(move(id, state))));
  }

  private static RecordedTransition move(String id, String state) {
    return new RecordedTransition(
        new TaskTransition(
            id,
            1,
            TaskState.valueOf(state),
            1,
            0,
            Duration.ZERO,
            Instant.now(),
            "",
            Optional.empty(),
            Optional.empty(),
            false),
        id,
        "egress",
        "stage",
        Optional.empty(),
        Optional.empty());
  }

  private static void put(String key, String text) throws IOException {
    var _ =
        blobs.put(
            new BlobKey(key), new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  private String id(String name) {
    return name + "-" + annId;
  }

  @Test
  void filesAreListedAndFetchedByTheirUserAlone() throws Exception {
    String film = id("film");
    task(film, "PROCESSING", "");
    put("egress/" + film + "/recording.mp4", "0123456789");
    put("egress/" + film + "/001-001/part.json", "{}");
    put("egress/" + film + "/001-001/picture-000001.png", "png");
    put("egress/" + film + "x/recording.mp4", "of another task");

    JsonNode listed = ann.get("/egress/" + film + "/files").expect(200).json().path("items");
    assertThat(listed.valueStream().map(file -> file.path("name").asString()))
        .containsExactly("001-001/picture-000001.png", "recording.mp4");
    JsonNode page = ann.get("/egress/" + film + "/files?limit=2").expect(200).json();
    assertThat(
            ann.get("/egress/" + film + "/files?cursor=" + page.path("next_cursor").asString())
                .expect(200)
                .json()
                .path("items")
                .get(0)
                .path("name")
                .asString())
        .isEqualTo("recording.mp4");

    String path = "/egress/" + film + "/files/recording.mp4";
    Answered whole = ann.get(path).expect(200);
    assertThat(whole.body()).isEqualTo("0123456789");
    assertThat(whole.header("Content-Type")).isEqualTo("video/mp4");
    Answered part = ann.with("Range", "bytes=2-4").get(path).expect(206);
    assertThat(part.body()).isEqualTo("234");
    assertThat(part.header("Content-Range")).isEqualTo("bytes 2-4/10");
    ann.with("Range", "bytes=10-").get(path).expect(416, "range_not_satisfiable");
    assertThat(
            ann.get("/egress/" + film + "/files/001-001/picture-000001.png")
                .expect(200)
                .header("Content-Type"))
        .isEqualTo("image/png");
    String late = "001-1000/segment-00001-1700000000000-4000.ts";
    put("egress/" + film + "/" + late, "late");
    assertThat(ann.get("/egress/" + film + "/files/" + late).expect(200).body()).isEqualTo("late");
    ann.get("/egress/" + film + "/files/001-001/part.json").expect(404);
    ann.get("/egress/" + film + "/files/none.mp4").expect(404);
    ann.get("/egress/" + film + "/files/..").expect(400);

    for (String hidden : List.of(path, "/egress/" + film, "/egress/" + film + "/files")) {
      bob.get(hidden).expect(404);
    }
    bob.delete("/egress/" + film).expect(404);
    ann.delete("/egress/" + film).expect(409, "egress_running");
    task(film, "SUCCESS", Instant.now().toString());
    ann.delete("/egress/" + film).expect(204);
    ann.get(path).expect(404);
    assertThat(blobs.list("egress/" + film + "/", Optional.empty(), 10).blobs()).isEmpty();
    assertThat(blobs.stat(new BlobKey("egress/" + film + "x/recording.mp4"))).isPresent();
    assertThat(ann.get("/egress/" + film).expect(200).json().path("deleted_at").isNull()).isFalse();
  }

  /** Its files stay under the id, and another task would put its own beside them. */
  @Test
  void theIdOfAnEgressStaysTakenAfterItsTaskIsDeleted() throws Exception {
    String film = id("review");
    task(film, "SUCCESS", Instant.now().toString());
    put("egress/" + film + "/recording.mp4", "0123456789");
    sql("delete from tasks where id = ?", film);
    bob.post("/tasks", submission(film, film)).expect(409, "id_taken");
    ann.post("/tasks", submission(film, "another")).expect(409, "id_taken");
    bob.get("/tasks/" + film).expect(404);
    assertThat(ann.get("/egress/" + film + "/files/recording.mp4").expect(200).body())
        .isEqualTo("0123456789");
  }

  private static Map<String, Object> submission(String id, String request) {
    return Map.of(
        "id",
        id,
        "request_id",
        request,
        "type",
        "egress",
        "action",
        "start",
        "channel",
        "stage",
        "payload",
        Map.of("kind", "record"));
  }

  @Test
  void aMeetingHasTheEgressOfItsRoomWhileItLasted() {
    sql(
        """
        insert into meetings (user_id, platform, platform_specific_id, status, tracked, start_time,
          end_time, created_at)
        values (?, 'janus', 'stage', 'completed', true, now() - interval '2 hours',
          now() - interval '1 hour', now() - interval '2 hours')
        """,
        annId);
    long meeting =
        database.read(
            tx ->
                tx.sql("select id from meetings where user_id = ?")
                    .with(annId)
                    .one(row -> row.longAt("id")));
    for (String name : List.of("before", "during", "across", "after")) {
      task(id(name), "SUCCESS", Instant.now().toString());
    }
    times("before", 180, 130);
    times("during", 110, 70);
    times("across", 65, 1);
    times("after", 50, 40);

    Answered shown = ann.get("/meetings/" + meeting + "/egress").expect(200);
    assertThat(shown.json().path("items").valueStream().map(it -> it.path("task_id").asString()))
        .containsExactly(id("across"), id("during"));
    JsonNode first = ann.get("/meetings/" + meeting + "/egress?limit=1").expect(200).json();
    assertThat(
            ann.get(
                    "/meetings/"
                        + meeting
                        + "/egress?limit=1&cursor="
                        + first.path("next_cursor").asString())
                .expect(200)
                .json()
                .path("items")
                .get(0)
                .path("task_id")
                .asString())
        .isEqualTo(id("during"));
    bob.get("/meetings/" + meeting + "/egress").expect(404);
  }

  private void times(String name, int from, int to) {
    sql(
        """
        update egresses set created_at = now() - ? * interval '1 minute',
          ended_at = now() - ? * interval '1 minute' where task_id = ?
        """,
        from,
        to,
        id(name));
  }

  @Test
  void filesAreCountedAfterTheEndAndDeletedAfterTheRetention() throws Exception {
    String old = id("old");
    String recent = id("recent");
    String running = id("running");
    task(old, "SUCCESS", Instant.now().minus(KEPT).minusSeconds(60).toString());
    task(recent, "SUCCESS", Instant.now().minus(KEPT).plusSeconds(60).toString());
    task(running, "PROCESSING", "");
    for (String each : List.of(old, recent, running)) {
      put("egress/" + each + "/recording.mp4", "x".repeat(700));
      put("egress/" + each + "/001-001/segment-00001-1700000000000-4000.ts", "x".repeat(398));
      put("egress/" + each + "/result.json", "{}");
    }
    assertThat(used()).isZero();
    EgressRounds.count(feature);
    assertThat(used()).isEqualTo(2200);
    assertThat(ann.get("/egress/" + recent).json().path("bytes").asLong()).isEqualTo(1100);
    ann.post("/meetings", Map.of("platform", "zoom", "native_meeting_id", "123456789"))
        .expect(429, "quota_exceeded");

    assertThat(EgressRounds.tidy(feature)).isEqualTo(1);
    assertThat(used()).isEqualTo(1100);
    ann.get("/egress/" + old + "/files/recording.mp4").expect(404);
    ann.get("/egress/" + recent + "/files/recording.mp4").expect(200);
    ann.get("/egress/" + running + "/files/recording.mp4").expect(200);

    // A pod that had lost its task stores something after the files were deleted.
    put("egress/" + old + "/speaker-01.ogg", "late");
    assertThat(EgressRounds.tidy(feature)).isZero();
    assertThat(blobs.list("egress/" + old + "/", Optional.empty(), 10).blobs()).isEmpty();
  }

  @Test
  void filesThatTheStoreDoesNotDeleteHoldUpNoOthers() throws Exception {
    String held = id("held");
    String old = id("old");
    task(held, "SUCCESS", Instant.now().minus(KEPT).minusSeconds(120).toString());
    task(old, "SUCCESS", Instant.now().minus(KEPT).minusSeconds(60).toString());
    BlobKey kept = new BlobKey("egress/" + held + "/recording.mp4");
    BlobKey gone = new BlobKey("egress/" + old + "/recording.mp4");
    put(kept.text(), "held");
    put(gone.text(), "old");
    EgressFeature refused = feature(refusing(Set.of(kept)));
    assertThat(EgressRounds.tidy(refused)).isEqualTo(1);
    assertThat(blobs.stat(gone)).isEmpty();
    assertThat(blobs.stat(kept)).isPresent();

    assertThat(EgressRounds.tidy(refused)).isZero();
    assertThat(EgressRounds.tidy(feature)).isEqualTo(1);
    assertThat(blobs.stat(kept)).isEmpty();
  }

  /** A round ends after ten refusals. */
  @Test
  void manyFilesThatTheStoreDoesNotDeleteHoldUpOthersForOneRound() throws Exception {
    Set<BlobKey> kept = new HashSet<>();
    for (int i = 0; i < 10; i++) {
      String held = id("held-" + i);
      task(held, "SUCCESS", Instant.now().minus(KEPT).minusSeconds(120).toString());
      BlobKey key = new BlobKey("egress/" + held + "/recording.mp4");
      put(key.text(), "held");
      boolean _ = kept.add(key);
    }
    String old = id("old");
    task(old, "SUCCESS", Instant.now().minus(KEPT).minusSeconds(60).toString());
    BlobKey gone = new BlobKey("egress/" + old + "/recording.mp4");
    put(gone.text(), "old");
    EgressFeature refused = feature(refusing(kept));
    assertThat(EgressRounds.tidy(refused)).isZero();
    assertThat(EgressRounds.tidy(refused)).isEqualTo(1);
    assertThat(blobs.stat(gone)).isEmpty();

    // The holds end.
    kept.clear();
    assertThat(EgressRounds.tidy(refused)).isEqualTo(10);
  }

  /** The store of these tests, as if it kept some blobs under a lock. */
  private static BlobStore refusing(Set<BlobKey> keys) {
    return (BlobStore)
        Proxy.newProxyInstance(
            EgressFilesTest.class.getClassLoader(),
            new Class<?>[] {BlobStore.class},
            (_, method, arguments) -> {
              if (method.getName().equals("delete") && keys.contains(arguments[0])) {
                throw new IOException("the store is not permitted to delete it");
              }
              return method.invoke(blobs, arguments);
            });
  }

  /** Its pod ended before it had joined the segments. */
  @Test
  void anEgressThatEndedWithoutAResultIsFinishedByAnotherTask() throws Exception {
    String cut = id("cut");
    String whole = id("whole");
    String empty = id("empty");
    String now = Instant.now().toString();
    for (String each : List.of(cut, whole, empty)) {
      task(each, "SUCCESS", now);
      put("egress/" + each + "/progress.json", "{}");
    }
    put("egress/" + cut + "/001-001/segment-00001-1700000000000-4000.ts", "x".repeat(40));
    put("egress/" + whole + "/001-001/segment-00001-1700000000000-4000.ts", "x");
    put("egress/" + whole + "/result.json", "{}");
    EgressRounds.count(feature);

    NewTask finishing = submitted.getFirst();
    assertThat(submitted).hasSize(1);
    assertThat(finishing.type()).isEqualTo("egress");
    assertThat(finishing.channel()).isEqualTo("stage");
    assertThat(finishing.region()).contains("eu");
    assertThat(finishing.userId()).contains(annId);
    assertThat(finishing.action()).isEqualTo("finish");
    assertThat(Json.write(finishing.payload()))
        .isEqualTo("{\"kind\":\"record\",\"of\":\"" + cut + "\"}");

    // While it is open there is no other one; no pod takes it, and an hour later another one is
    // tried.
    finishing(finishing, "PENDING", "");
    EgressRounds.finishAgain(feature);
    finishing(finishing, "TIMEOUT", now);
    EgressRounds.count(feature);
    assertThat(submitted).hasSize(1);
    EgressRounds.finishAgain(feature);
    NewTask second = submitted.getLast();
    assertThat(second.id()).isNotEqualTo(finishing.id());
    assertThat(second.payload()).isEqualTo(finishing.payload());

    // It does not stop when the room is another user's, and its end has the files counted again.
    finishing(second, "PROCESSING", "");
    sql("update rooms set user_id = null where platform = 'janus' and room = 'stage'");
    assertThat(database.<List<String>>read(EgressFeature::displaced)).doesNotContain(second.id());
    put("egress/" + cut + "/recording.mp4", "x".repeat(100));
    put("egress/" + cut + "/result.json", "{}");
    finishing(second, "SUCCESS", now);
    EgressRounds.count(feature);
    EgressRounds.finishAgain(feature);
    assertThat(submitted).hasSize(2);
    assertThat(ann.get("/egress/" + cut).json().path("bytes").asLong()).isEqualTo(144);
    ann.get("/egress/" + second.id()).expect(404);
  }

  private void finishing(NewTask task, String state, String ended) {
    task(task.id(), task.action(), state, ended, Json.write(task.payload()));
  }

  private long used() {
    return ann.get("/usage")
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .filter(item -> item.path("name").asString().equals("stored_bytes"))
        .findFirst()
        .orElseThrow()
        .path("used")
        .asLong();
  }
}

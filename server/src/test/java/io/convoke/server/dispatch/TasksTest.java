package io.convoke.server.dispatch;

import static io.convoke.server.dispatch.DispatchTestServer.TOKEN;
import static io.convoke.server.dispatch.DispatchTestServer.await;
import static io.convoke.server.dispatch.DispatchTestServer.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.RetryBackoff;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.dispatch.TaskJson;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.json.Json;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Cursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** docs/spec/contract.md, "Tasks", line by line. */
class TasksTest {
  /** The keys of a task (dispatch-1). */
  private static final String[] KEYS = {
    "id",
    "type",
    "action",
    "channel",
    "request_id",
    "payload",
    "state",
    "created_at",
    "pending_at",
    "processed_at",
    "completed_at",
    "error",
    "worker_id",
    "lease_expiry",
    "retry_count",
    "region",
    "pod_id",
    "attempt"
  };

  private final DispatchTestServer testServer =
      DispatchTestServer.open(
          DispatchConfig.seed()
              .with(new RetryBackoff(Duration.ofMillis(10), Duration.ofMillis(20))));
  private final ContractClient ann = testServer.server.user(7);
  private final ContractClient bob = testServer.server.user(8);
  private final ContractClient internal = testServer.server.internal();

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aTaskIsAcceptedWithItsTokenRedacted() {
    ContractClient.Answered answered = ann.post("/tasks", task("a1b2c3d4e5f6g7h8")).expect(202);
    JsonNode task = answered.json();

    assertThat(task.propertyNames()).containsExactlyInAnyOrder(KEYS);
    assertThat(task.path("id").asString()).isEqualTo("a1b2c3d4e5f6g7h8");
    assertThat(task.path("state").asString()).isEqualTo("PENDING");
    assertThat(task.path("error").asString("none")).isEmpty();
    assertThat(task.path("region").asString()).isEqualTo("us-east-1");
    for (String later :
        List.of("processed_at", "completed_at", "worker_id", "lease_expiry", "pod_id")) {
      assertThat(task.path(later).isNull()).as(later).isTrue();
    }
    assertThat(task.path("pending_at")).isEqualTo(task.path("created_at"));
    assertThat(task.path("retry_count").asInt(-1)).isZero();
    assertThat(task.path("attempt").asInt(-1)).isZero();
    assertThat(task.path("payload").path("access_token").asString()).isEqualTo("***");
    assertThat(task.path("payload").path("workerUid").asInt()).isEqualTo(42);
    assertThat(answered.body()).doesNotContain(TOKEN);
    assertThat(ann.get("/tasks/a1b2c3d4e5f6g7h8").expect(200).json()).isEqualTo(task);
  }

  /** By the payload's JSON as submitted: the size that sealing adds does not count. */
  @Test
  void aPayloadOfMoreThan64KibibytesIsTooLarge() {
    Map<String, Object> large = task("large");
    large.put("payload", Map.of("access_token", "t", "text", ""));
    int empty = Json.bytes(large.get("payload")).length;
    String filled = "x".repeat(65_536 - empty);
    large.put("payload", Map.of("access_token", "t", "text", filled + "x"));
    ann.post("/tasks", large).expect(413, "payload_too_large");
    large.put("payload", Map.of("text", "x".repeat(200_000)));
    ann.post("/tasks", large).expect(413, "payload_too_large");
    large.put("payload", Map.of("access_token", "sealed:." + "x".repeat(70_000)));
    ann.post("/tasks", large).expect(413, "payload_too_large");
    ann.get("/tasks/large").expect(404);
    large.put("payload", Map.of("access_token", "t", "text", filled));
    ann.post("/tasks", large).expect(202);
  }

  @Test
  void theSameRequestAgainGetsTheSameTask() {
    JsonNode first = ann.post("/tasks", task("one")).expect(202).json();
    assertThat(ann.post("/tasks", task("one")).expect(200).json()).isEqualTo(first);
    Map<String, Object> other = task("two");
    other.put("request_id", "req_one");
    assertThat(ann.post("/tasks", other).expect(200).json()).isEqualTo(first);
    ann.get("/tasks/two").expect(404);
  }

  @Test
  void anIdIsMintedAndATakenOneIsAConflict() {
    Map<String, Object> nameless = task("x");
    assertThat(nameless.remove("id")).isNotNull();
    String id = ann.post("/tasks", nameless).expect(202).json().path("id").asString();
    assertThat(id).matches("[A-Za-z0-9_-]{1,64}");
    Map<String, Object> taken = task("x");
    taken.put("id", id);
    taken.put("request_id", "another");
    ann.post("/tasks", taken).expect(409, "id_taken");
    bob.post("/tasks", taken).expect(409, "id_taken");
  }

  @Test
  void aChannelMayHaveSeveralTasksUnlessOneAsksToBeAlone() {
    ann.post("/tasks", task("a")).expect(202);
    ann.post("/tasks", task("b")).expect(202);
    ann.post("/tasks", task("alone", "unique", "channel")).expect(202);
    JsonNode busy =
        ann.post("/tasks", task("next", "unique", "channel")).expect(409, "channel_busy").json();
    assertThat(busy.path("task_id").asString()).isEqualTo("alone");
    ann.post("/tasks", task("c")).expect(202);
    try (SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      ann.post("/tasks/alone/stop").expect(202);
      await(carried, "alone", TaskState.FAILED);
    }
    ann.post("/tasks", task("next", "unique", "channel")).expect(202);
  }

  /** Two owners may use the same request ids and channels. */
  @Test
  void whatOneUserAsksForIsNothingToAnother() {
    ann.post("/tasks", task("anns", "unique", "channel")).expect(202);
    Map<String, Object> bobs = task("bobs", "unique", "channel");
    bobs.put("request_id", "req_anns");
    assertThat(bob.post("/tasks", bobs).expect(202).json().path("id").asString()).isEqualTo("bobs");

    bob.get("/tasks/anns").expect(404, "not_found");
    bob.post("/tasks/anns/stop").expect(404);
    bob.get("/tasks/anns/timeline").expect(404);
    bob.post("/tasks/anns/requeue").expect(404);
    assertThat(ids(bob.get("/tasks").expect(200).json())).containsExactly("bobs");
    assertThat(ids(ann.get("/tasks").expect(200).json())).containsExactly("anns");
    assertThat(ids(internal.get("/tasks").expect(200).json())).containsExactly("bobs", "anns");
    assertThat(ids(testServer.server.admin().get("/tasks?user_id=7").expect(200).json()))
        .containsExactly("anns");
    internal.get("/tasks/anns").expect(200);
    testServer.server.admin().get("/tasks/bobs").expect(200);
  }

  @Test
  void internalServicesAndAdminsSubmitForTheOperatorOrAGivenUser() {
    testServer.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into users (id, email) overriding system value
                      values (7, 'ann@example.org'), (8, 'bob@example.org')
                      """)
                  .update();
        });
    internal.post("/tasks", task("ours")).expect(202);
    internal.post("/tasks?user_id=7", task("anns")).expect(202);
    testServer.server.admin().post("/tasks?user_id=8", task("bobs")).expect(202);
    ann.get("/tasks/ours").expect(404);
    ann.get("/tasks/anns").expect(200);
    bob.get("/tasks/bobs").expect(200);
    // A user's user_id parameter is ignored.
    bob.post("/tasks?user_id=7", task("bobs-too")).expect(202);
    ann.get("/tasks/bobs-too").expect(404);
  }

  /** The id may be that of a user who comes later, to whom the task would be shown. */
  @Test
  void forAUserWhoDoesNotExistNoTaskIsAccepted() {
    internal.post("/tasks?user_id=7", task("anns")).expect(404, "not_found");
    testServer.server.admin().post("/tasks?user_id=7", task("anns")).expect(404, "not_found");
    internal.get("/tasks/anns").expect(404);
  }

  @Test
  void whoMayNotIsRefused() {
    ContractClient bot = testServer.server.anonymous().with("Authorization", "Bearer bot-42");
    for (String path :
        List.of("/tasks", "/tasks/x", "/tasks/x/timeline", "/regions", "/dead-letters/tasks")) {
      testServer.server.anonymous().get(path).expect(401);
      bot.get(path).expect(403);
    }
    for (String path :
        List.of(
            "/tasks",
            "/tasks/x/stop",
            "/tasks/x/requeue",
            "/dead-letters/tasks/requeue",
            "/dead-letters/tasks/discard")) {
      testServer.server.anonymous().post(path, Map.of()).expect(401);
      bot.post(path, Map.of()).expect(403);
    }
  }

  @Test
  void whatIsNoTaskIsRefusedByTheNameOfItsField() {
    List<Map<String, Object>> wrong =
        List.of(
            task("x", "id", "no spaces"),
            task("x", "id", "x".repeat(65)),
            task("x", "request_id", "no/slash"),
            task("x", "request_id", ""),
            task("x", "channel", "no/slash"),
            task("x", "channel", "c".repeat(65)),
            task("x", "type", ""),
            task("x", "action", "stop"),
            task("x", "region", "no.dot"),
            task("x", "region", "global"),
            task("x", "payload", "text"),
            task("x", "unique", "region"));
    List<String> fields = new ArrayList<>();
    for (Map<String, Object> each : wrong) {
      fields.add(
          ann.post("/tasks", each)
              .expect(400)
              .json()
              .path("errors")
              .path(0)
              .path("field")
              .asString());
    }
    assertThat(fields)
        .containsExactly(
            "id",
            "id",
            "request_id",
            "request_id",
            "channel",
            "channel",
            "type",
            "action",
            "region",
            "region",
            "payload",
            "unique");
    for (String needed : List.of("request_id", "type", "action", "channel", "payload")) {
      Map<String, Object> task = task("x");
      assertThat(task.remove(needed)).isNotNull();
      ann.post("/tasks", task).expect(400);
    }
    ann.json("POST", "/tasks", "{").expect(400);
    ann.json("POST", "/tasks", "{\"pad\":\"" + "x".repeat(1 << 20) + "\"}").expect(413);
    ann.get("/tasks/no.dot").expect(400);
    ann.get("/tasks?state=pending").expect(400);
    ann.get("/tasks?cursor=garbage").expect(400);
    ann.get("/tasks?limit=201").expect(400);
    ann.get("/tasks/unheard-of").expect(404);
    ann.post("/tasks/unheard-of/stop").expect(404);
    ann.get("/tasks/unheard-of/timeline").expect(404);
  }

  @Test
  void anIdempotencyKeyGivesTheFirstAnswerAgain() {
    ContractClient keyed = ann.with("Idempotency-Key", "k1");
    Map<String, Object> nameless = task("x");
    assertThat(nameless.remove("id")).isNotNull();
    String first = keyed.post("/tasks", nameless).expect(202).body();
    assertThat(keyed.post("/tasks", nameless).expect(202).body()).isEqualTo(first);
    assertThat(first).doesNotContain(TOKEN);
  }

  @Test
  void onlyThePodSeesTheToken() throws Exception {
    try (SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      ann.post(
              "/tasks",
              task(
                  "a",
                  "payload",
                  Map.of(
                      "rooms",
                      List.of(Map.of("access_token", TOKEN)),
                      "access_token",
                      "second-secret")))
          .expect(202);
      assertThat(testServer.redis.<String>call(c -> c.get("convoke:dispatch:request:7/req_a")))
          .contains("sealed:")
          .doesNotContain(TOKEN, "second-secret");
      assertThat(testServer.redis.<String>call(c -> c.get("convoke:task:a")))
          .doesNotContain("sealed:", TOKEN, "second-secret");
      testServer.pod("us-east-1", DispatchTestServer::done);
      TaskAttempt run = testServer.begun();
      JsonNode open = testServer.tokens.open(TaskJson.full(run.task()));
      assertThat(open.path("payload").path("rooms").path(0).path("access_token").asString())
          .isEqualTo(TOKEN);
      assertThat(open.path("payload").path("access_token").asString()).isEqualTo("second-secret");
      await(carried, "a", TaskState.SUCCESS);
    }
    String everywhere =
        ann.get("/tasks/a").expect(200).body()
            + ann.get("/tasks").expect(200).body()
            + ann.get("/tasks/a/timeline").expect(200).body()
            + ann.get("/events").expect(200).body()
            + testServer.database.read(
                tx ->
                    tx.sql("select string_agg(t::text, '') as s from tasks t")
                        .one(resultRow -> resultRow.text("s")));
    assertThat(everywhere).doesNotContain(TOKEN, "second-secret").contains("***");
  }

  @Test
  void aRunningTaskShowsWhoHoldsItAndUntilWhenAndEndsWhenStopped() throws Exception {
    try (SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      testServer.pod("us-east-1", DispatchTestServer::untilStopped);
      ann.post("/tasks", task("a")).expect(202);
      TaskAttempt run = testServer.begun();

      JsonNode task = ann.get("/tasks/a").expect(200).json();
      assertThat(task.path("state").asString()).isEqualTo("PROCESSING");
      assertThat(task.path("worker_id").asInt(-1)).isEqualTo(run.workerId());
      assertThat(task.path("pod_id").asString()).isEqualTo("pod-1");
      assertThat(task.path("attempt").asInt()).isEqualTo(1);
      assertThat(task.path("lease_expiry").asString()).endsWith("Z");
      assertThat(task.path("processed_at").asString()).endsWith("Z");

      assertThat(ann.post("/tasks/a/stop").expect(202).json().path("state").asString())
          .isEqualTo("PROCESSING");
      await(carried, "a", TaskState.SUCCESS);
    }
    JsonNode ended = ann.get("/tasks/a").expect(200).json();
    assertThat(ended.path("state").asString()).isEqualTo("SUCCESS");
    assertThat(ended.path("completed_at").asString()).endsWith("Z");
    assertThat(ann.post("/tasks/a/stop").expect(202).json()).isEqualTo(ended);
    assertThat(types(ann.get("/tasks/a/timeline").expect(200).json()))
        .containsExactly("task.pending", "task.processing", "task.stopping", "task.success");
  }

  @Test
  void aWaitingTaskThatIsStoppedNeverStarts() throws Exception {
    ann.post("/tasks", task("a")).expect(202);
    JsonNode stopped = ann.post("/tasks/a/stop").expect(202).json();
    assertThat(stopped.path("state").asString()).isEqualTo("FAILED");
    assertThat(stopped.path("error").asString()).isEqualTo("stopped");
    assertThat(stopped.path("completed_at").asString()).endsWith("Z");
    ann.post("/tasks", task("b")).expect(202);
    testServer.pod("us-east-1", DispatchTestServer::done);
    assertThat(testServer.begun().task().id()).isEqualTo("b");
    assertThat(ann.post("/tasks/a/stop").expect(202).json()).isEqualTo(stopped);
  }

  @Test
  void tryAgainWaitsAnewAndHasItsBound() throws Exception {
    try (SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      testServer.pod("us-east-1", run -> new AttemptOutcome.AttemptRetry("the recorder is busy"));
      ann.post("/tasks", task("a")).expect(202);
      await(carried, "a", TaskState.FAILED);
    }
    JsonNode task = ann.get("/tasks/a").expect(200).json();
    assertThat(task.path("attempt").asInt()).isEqualTo(5);
    assertThat(task.path("error").asString()).contains("gave up after 5", "the recorder is busy");
  }

  @Test
  void listsHaveFiltersAndPages() {
    for (int i = 0; i < 5; i++) {
      ann.post("/tasks", task("t" + i)).expect(202);
    }
    Map<String, Object> anywhere = task("anywhere", "channel", "other");
    assertThat(anywhere.remove("region")).isNotNull();
    ann.post("/tasks", anywhere).expect(202);

    List<String> seen = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page =
          ann.get("/tasks?region=us-east-1&channel=meeting-room-alpha&limit=2" + cursor)
              .expect(200)
              .json();
      seen.addAll(ids(page));
      cursor = page.path("next_cursor").asStringOpt().map(next -> "&cursor=" + next).orElse("");
    } while (!cursor.isEmpty());
    assertThat(seen).containsExactly("t4", "t3", "t2", "t1", "t0");
    assertThat(ids(ann.get("/tasks?region=global").expect(200).json())).containsExactly("anywhere");
    assertThat(ids(ann.get("/tasks?channel=other&state=PENDING").expect(200).json()))
        .containsExactly("anywhere");
    assertThat(ids(ann.get("/tasks?state=SUCCESS").expect(200).json())).isEmpty();
    assertThat(ann.get("/tasks?limit=1").expect(200).json().path("items").path(0).propertyNames())
        .containsExactlyInAnyOrder(KEYS);
  }

  /** With what no row has: NUL, and times that Postgres does not hold. */
  @Test
  void aForgedCursorIsNoCursor() {
    ann.post("/tasks", task("a")).expect(202);
    for (String cursor :
        List.of(
            Cursor.of("2026-01-01T00:00:00Z", "a\0"),
            Cursor.of("+292278994-08-17T07:12:55Z", "a"),
            Cursor.of("-292278994-08-17t07:12:55z", "a"))) {
      ann.get("/tasks?cursor=" + cursor).expect(400, "bad_request");
      ann.get("/dead-letters/tasks?cursor=" + cursor).expect(400, "bad_request");
    }
    String farthest = Cursor.of("9999-12-31T23:59:59Z", "a");
    assertThat(ids(ann.get("/tasks?cursor=" + farthest).expect(200).json())).containsExactly("a");
  }

  static List<String> ids(JsonNode page) {
    return page.path("items").valueStream().map(item -> item.path("id").asString()).toList();
  }

  static List<String> types(JsonNode page) {
    return page.path("items").valueStream().map(item -> item.path("type").asString()).toList();
  }
}

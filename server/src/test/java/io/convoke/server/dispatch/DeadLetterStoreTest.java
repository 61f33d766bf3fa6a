package io.convoke.server.dispatch;

import static io.convoke.server.dispatch.DispatchTestServer.TOKEN;
import static io.convoke.server.dispatch.DispatchTestServer.await;
import static io.convoke.server.dispatch.DispatchTestServer.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.dispatch.TaskJson;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.ContractClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Dead letters: listed, requeued at most once, or dismissed. */
class DeadLetterStoreTest {
  /** Long enough that the requeued task does not time out before the test has checked it. */
  private final DispatchTestServer testServer =
      DispatchTestServer.open(
          DispatchConfig.of(
              Duration.ofSeconds(5), Duration.ofSeconds(3), 3, Duration.ofSeconds(1)));

  private final ContractClient ann = testServer.server.user(7);
  private final ContractClient bob = testServer.server.user(8);
  private final SignalObservation<List<TaskTransition>> carried = testServer.carried();

  @AfterEach
  void close() {
    testServer.close();
  }

  /** Two tasks of Ann's. */
  private void twoFail() {
    try (Pod _ =
        testServer.pod(
            "us-east-1", run -> new AttemptOutcome.AttemptFailed("no more disk space"))) {
      for (String id : List.of("f1", "f2")) {
        ann.post("/tasks", task(id)).expect(202);
        await(carried, id, TaskState.FAILED);
      }
    }
  }

  @Tag("nightly")
  @Test
  void deadLettersAreListedUnlessTheyWereStopped() {
    twoFail();
    ann.post("/tasks", task("stopped")).expect(202);
    ann.post("/tasks/stopped/stop").expect(202);
    await(carried, "stopped", TaskState.FAILED);
    ann.post("/tasks", task("late", "channel", "other")).expect(202);
    await(carried, "late", TaskState.TIMEOUT);

    assertThat(dead(ann, "")).containsExactly("late", "f2", "f1");
    assertThat(dead(ann, "?state=FAILED&type=snapshot")).containsExactly("f2", "f1");
    assertThat(dead(ann, "?channel=other")).containsExactly("late");
    assertThat(dead(ann, "?region=us-east-1&limit=1")).containsExactly("late");
    assertThat(dead(ann, "?region=global")).isEmpty();
    assertThat(dead(bob, "")).isEmpty();
    assertThat(dead(testServer.server.internal(), "")).hasSize(3);
    ann.get("/dead-letters/tasks?state=SUCCESS").expect(400);
    assertThat(ann.get("/dead-letters/tasks").expect(200).body())
        .doesNotContain(TOKEN)
        .contains("***");
  }

  @Test
  void aDryRunSaysWhatWouldHappenAndDoesNothing() {
    twoFail();
    long before = rows();
    JsonNode all =
        ann.post("/dead-letters/tasks/requeue", Map.of("dry_run", true, "limit", 1))
            .expect(200)
            .json();
    assertThat(all.path("dry_run").asBoolean()).isTrue();
    assertThat(all.path("more").asBoolean()).isTrue();
    assertThat(fates(all)).containsExactly("f2 would_requeue");
    assertThat(
            fates(
                ann.post("/dead-letters/tasks/discard", Map.of("dry_run", true, "state", "FAILED"))
                    .expect(200)
                    .json()))
        .containsExactly("f2 would_discard", "f1 would_discard");
    assertThat(
            ann.post("/tasks/f1/requeue", Map.of("dry_run", true))
                .expect(200)
                .json()
                .path("outcome")
                .asString())
        .isEqualTo("would_requeue");
    assertThat(rows()).isEqualTo(before);
    assertThat(dead(ann, "")).containsExactly("f2", "f1");
  }

  @Test
  void eachIsMadeAnewOnceHoweverOftenThatIsAsked() throws Exception {
    twoFail();
    testServer.begun.clear();
    JsonNode made =
        ann.post("/dead-letters/tasks/requeue", Map.of("state", "FAILED")).expect(202).json();
    assertThat(fates(made)).containsExactly("f2 requeued", "f1 requeued");
    assertThat(made.path("more").asBoolean()).isFalse();
    assertThat(dead(ann, "")).isEmpty();
    JsonNode again =
        ann.post("/dead-letters/tasks/requeue", Map.of("ids", List.of("f1", "f2", "f1")))
            .expect(202)
            .json();
    assertThat(fates(again)).containsExactly("f1 already", "f2 already");
    assertThat(again.path("items").path(0).path("task_id"))
        .isEqualTo(made.path("items").path(1).path("task_id"));
    assertThat(rows()).isEqualTo(4);

    // The new task has the same request, a fresh deadline and a sealed token.
    testServer.pod("us-east-1", DispatchTestServer::done);
    TaskAttempt run = testServer.begun();
    String id = run.task().id();
    assertThat(TaskJson.full(run.task()).path("payload").toString()).doesNotContain(TOKEN);
    assertThat(
            testServer
                .tokens
                .open(TaskJson.full(run.task()))
                .path("payload")
                .path("access_token")
                .asString())
        .isEqualTo(TOKEN);
    JsonNode task = ann.get("/tasks/" + id).expect(200).json();
    assertThat(task.path("channel").asString()).isEqualTo("meeting-room-alpha");
    assertThat(task.path("region").asString()).isEqualTo("us-east-1");
    assertThat(task.path("retry_count").asInt(-1)).isZero();
    bob.get("/tasks/" + id).expect(404);
    // The old task stays as it is, and its events name the new one.
    assertThat(ann.get("/tasks/f1").expect(200).json().path("state").asString())
        .isEqualTo("FAILED");
    assertThat(TasksTest.types(ann.get("/tasks/f1/timeline").expect(200).json()))
        .containsExactly("task.pending", "task.processing", "task.failed", "task.requeued");
  }

  @Test
  void oneIsMadeAnewByItsId() {
    twoFail();
    JsonNode fate = ann.post("/tasks/f1/requeue").expect(202).json();
    assertThat(fate.path("outcome").asString()).isEqualTo("requeued");
    assertThat(ann.post("/tasks/f1/requeue").expect(200).json().path("task_id"))
        .isEqualTo(fate.path("task_id"));
    String made = fate.path("task_id").asString();
    ann.post("/tasks/" + made + "/requeue").expect(409, "task_pending");
    assertThat(ann.get("/tasks/" + made).expect(200).json().path("request_id").asString())
        .isEqualTo("requeue." + made);
    ann.post("/tasks", task("stopped")).expect(202);
    ann.post("/tasks/stopped/stop").expect(202);
    ann.post("/tasks/stopped/requeue").expect(409, "task_stopped");
    bob.post("/tasks/f2/requeue").expect(404);
    ann.post("/tasks/unheard-of/requeue").expect(404);
  }

  @Test
  void whatOthersOwnIsUnknownAndWhatIsNotDeadIsLeftAlone() {
    twoFail();
    ann.post("/tasks", task("waits")).expect(202);
    assertThat(
            fates(
                bob.post("/dead-letters/tasks/requeue", Map.of("ids", List.of("f1", "none")))
                    .expect(202)
                    .json()))
        .containsExactly("f1 unknown", "none unknown");
    assertThat(fates(bob.post("/dead-letters/tasks/requeue", Map.of()).expect(202).json()))
        .isEmpty();
    assertThat(
            fates(
                ann.post("/dead-letters/tasks/discard", Map.of("ids", List.of("waits")))
                    .expect(200)
                    .json()))
        .containsExactly("waits not_dead");
    ann.post("/dead-letters/tasks/requeue", Map.of("limit", 201)).expect(400);
    ann.post("/dead-letters/tasks/requeue", Map.of("state", "SUCCESS")).expect(400);
  }

  @Test
  void whatIsLetGoLeavesTheListAndCanStillBeMadeAnewByItsId() {
    twoFail();
    assertThat(
            fates(
                ann.post("/dead-letters/tasks/discard", Map.of("state", "FAILED"))
                    .expect(200)
                    .json()))
        .containsExactly("f2 discarded", "f1 discarded");
    assertThat(dead(ann, "")).isEmpty();
    assertThat(TasksTest.types(ann.get("/tasks/f1/timeline").expect(200).json()))
        .endsWith("task.discarded");
    ann.get("/tasks/f1").expect(200);
    ann.post("/tasks/f1/requeue").expect(202);
    assertThat(TasksTest.types(ann.get("/tasks/f1/timeline").expect(200).json()))
        .endsWith("task.discarded", "task.requeued");
    assertThat(
            fates(
                ann.post("/dead-letters/tasks/discard", Map.of("ids", List.of("f1")))
                    .expect(200)
                    .json()))
        .containsExactly("f1 already");
  }

  @Test
  void aRequestWhoseAnswerWasLostIsContinuedWithItsKey() {
    twoFail();
    ContractClient keyed = ann.with("Idempotency-Key", "k1");
    Map<String, Object> named = Map.of("ids", List.of("f1"));
    keyed.post("/dead-letters/tasks/discard", named).expect(200);
    keyed.post("/dead-letters/tasks/requeue", named).expect(202);
    JsonNode one = keyed.post("/tasks/f2/requeue").expect(202).json();

    loseAnswers();
    assertThat(fates(keyed.post("/dead-letters/tasks/discard", named).expect(200).json()))
        .containsExactly("f1 already");
    assertThat(fates(keyed.post("/dead-letters/tasks/requeue", named).expect(202).json()))
        .containsExactly("f1 already");
    assertThat(keyed.post("/tasks/f2/requeue").expect(200).json().path("task_id"))
        .isEqualTo(one.path("task_id"));
    assertThat(rows()).isEqualTo(4);
  }

  @Test
  void aSelectionWhoseAnswerWasLostTakesNoOthers() {
    twoFail();
    ContractClient keyed = ann.with("Idempotency-Key", "k1");
    Map<String, Object> newest = Map.of("state", "FAILED", "limit", 1);
    assertThat(fates(keyed.post("/dead-letters/tasks/discard", newest).expect(200).json()))
        .containsExactly("f2 discarded");
    loseAnswers();
    keyed.post("/dead-letters/tasks/discard", newest).expect(409, "idempotency_answer_lost");
    assertThat(dead(ann, "")).containsExactly("f1");

    assertThat(fates(keyed.post("/dead-letters/tasks/requeue", newest).expect(202).json()))
        .containsExactly("f1 requeued");
    loseAnswers();
    keyed.post("/dead-letters/tasks/requeue", newest).expect(409, "idempotency_answer_lost");
  }

  @Test
  void aChannelThatIsTakenByNowIsSaidAndTheDeadOneStaysListed() {
    try (Pod _ = testServer.pod("us-east-1", run -> new AttemptOutcome.AttemptFailed("no"))) {
      ann.post("/tasks", task("f1", "unique", "channel")).expect(202);
      await(carried, "f1", TaskState.FAILED);
    }
    ann.post("/tasks", task("holder", "unique", "channel")).expect(202);
    assertThat(fates(ann.post("/dead-letters/tasks/requeue", Map.of()).expect(202).json()))
        .containsExactly("f1 channel_busy");
    assertThat(
            ann.post("/tasks/f1/requeue")
                .expect(409, "channel_busy")
                .json()
                .path("task_id")
                .asString())
        .isEqualTo("holder");
    assertThat(dead(ann, "")).containsExactly("f1");
  }

  @Test
  void whatEndedLongAgoIsRemovedWithWhatWasDecidedAboutIt() {
    twoFail();
    ann.post("/dead-letters/tasks/discard", Map.of("ids", List.of("f1"))).expect(200);
    ann.post("/tasks", task("open")).expect(202);
    testServer.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update tasks set created_at = created_at - interval '31 days',
                        completed_at = completed_at - interval '31 days' where id <> 'f2'
                      """)
                  .update();
        });
    try (TaskRetention retention =
            new TaskRetention(testServer.database, Duration.ofDays(30), Duration.ofMillis(50));
        SignalObservation<Integer> removed = retention.removed().observe()) {
      assertThat(removed.await(count -> count > 0, DispatchTestServer.SOON)).isEqualTo(1);
    }
    assertThat(TasksTest.ids(ann.get("/tasks").expect(200).json()))
        .containsExactlyInAnyOrder("f2", "open");
    assertThat(
            testServer.database.<Long>read(
                tx ->
                    tx.sql("select count(*) as n from task_settlements")
                        .one(resultRow -> resultRow.longAt("n"))))
        .isZero();
  }

  /** As if the server had died before its answers, a while ago. */
  private void loseAnswers() {
    testServer.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update idempotency_keys set status = null, headers = null, body = null,
                        claimed_until = now() - interval '1 second'
                      """)
                  .update();
        });
  }

  private static List<String> dead(ContractClient who, String query) {
    return TasksTest.ids(who.get("/dead-letters/tasks" + query).expect(200).json());
  }

  private static List<String> fates(JsonNode settled) {
    return settled
        .path("items")
        .valueStream()
        .map(item -> item.path("id").asString() + " " + item.path("outcome").asString())
        .toList();
  }

  private long rows() {
    return testServer.database.read(
        tx -> tx.sql("select count(*) as n from tasks").one(resultRow -> resultRow.longAt("n")));
  }
}

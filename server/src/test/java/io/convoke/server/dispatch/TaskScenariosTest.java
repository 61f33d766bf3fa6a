package io.convoke.server.dispatch;

import static io.convoke.server.dispatch.DispatchTestServer.await;
import static io.convoke.server.dispatch.DispatchTestServer.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.ContractClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Seed 004, "Task State Transitions", through the API with pods: each row of its table. A window is
 * 2 s here and a lease 3 s; that they are 30 s and 45 s without settings, {@code
 * io.convoke.server.TaskTermsTest} shows.
 */
class TaskScenariosTest {
  private static final Duration MARKED_WITHIN = Duration.ofSeconds(2);

  private final DispatchTestServer testServer = DispatchTestServer.open(DispatchTestServer.SHORT);
  private final ContractClient ann = testServer.server.user(7);
  private final SignalObservation<List<TaskTransition>> carried = testServer.carried();

  @AfterEach
  void close() {
    testServer.close();
  }

  /** Business timeout | TIMEOUT | no retry | stays | one window from last PENDING. */
  @Tag("nightly")
  @Test
  void businessTimeout() {
    ann.post("/tasks", task("a")).expect(202);
    await(carried, "a", TaskState.TIMEOUT);
    JsonNode task = ended("a", "TIMEOUT");
    Duration waited = Duration.between(time(task, "pending_at"), time(task, "completed_at"));
    assertThat(waited)
        .isGreaterThan(testServer.config.taskTimeout())
        .isLessThan(testServer.config.taskTimeout().plus(MARKED_WITHIN));
    assertThat(task.path("attempt").asInt(-1)).isZero();
    assertThat(task.path("error").asString()).isEqualTo("waited longer than 2000 ms");
    testServer.pod("us-east-1", DispatchTestServer::done);
    ann.post("/tasks", task("b")).expect(202);
    await(carried, "b", TaskState.SUCCESS);
    assertThat(testServer.begun).extracting(run -> run.task().id()).containsExactly("b");
    assertThat(story("a")).containsExactly("task.pending", "task.timeout");
  }

  /** Worker crash | PENDING | retry | stays | a fresh window. */
  @Tag("nightly")
  @Test
  void workerCrash() throws Exception {
    Redis dying = Redis.open(testServer.redisServer.url());
    testServer.pod(dying, "us-east-1", TaskScenariosTest::untilInterrupted);
    Instant taken = time(ann.post("/tasks", task("a")).expect(202).json(), "pending_at");
    TaskAttempt _ = testServer.begun();
    await(carried, "a", TaskState.PROCESSING);

    dying.close();
    await(carried, "a", TaskState.PENDING);
    JsonNode task = ann.get("/tasks/a").expect(200).json();
    assertThat(task.path("state").asString()).isEqualTo("PENDING");
    assertThat(task.path("retry_count").asInt()).isEqualTo(1);
    assertThat(task.path("worker_id").isNull()).isTrue();
    assertThat(task.path("completed_at").isNull()).isTrue();
    assertThat(time(task, "pending_at")).isAfter(taken);
    // No pod is left to claim it: its new window is as long as the first.
    await(carried, "a", TaskState.TIMEOUT);
    JsonNode ended = ended("a", "TIMEOUT");
    assertThat(Duration.between(time(task, "pending_at"), time(ended, "completed_at")))
        .isGreaterThan(testServer.config.taskTimeout());
    assertThat(testServer.meters.scrape())
        .contains("convoke_dispatch_swept_total{region=\"us-east-1\",sweep=\"reclaim\"} 1.0")
        .contains("convoke_dispatch_swept_total{region=\"us-east-1\",sweep=\"expire\"} 1.0");
  }

  /** Unrecoverable error | FAILED | no retry | stays (terminate task) | n/a. */
  @Test
  void unrecoverableError() {
    testServer.pod("us-east-1", run -> new AttemptOutcome.AttemptFailed("no more disk space"));
    ann.post("/tasks", task("a")).expect(202);
    await(carried, "a", TaskState.FAILED);
    JsonNode task = ended("a", "FAILED");
    assertThat(task.path("error").asString()).isEqualTo("no more disk space");
    assertThat(task.path("attempt").asInt()).isEqualTo(1);
    assertThat(story("a")).containsExactly("task.pending", "task.processing", "task.failed");
  }

  /** Success | SUCCESS | no retry | stays | n/a: for longer than a lease, by renewing it. */
  @Test
  void success() throws Exception {
    CountDownLatch enough = new CountDownLatch(1);
    testServer.pod(
        "us-east-1",
        run -> {
          enough.await();
          return new AttemptOutcome.AttemptDone();
        });
    ann.post("/tasks", task("a")).expect(202);
    TaskAttempt _ = testServer.begun();
    Instant first = time(ann.get("/tasks/a").expect(200).json(), "lease_expiry");
    ann.post("/tasks", task("other")).expect(202);
    TaskAttempt _ = testServer.begun();
    // Both slots are taken; two that wait for their whole windows are the clock of this test.
    for (String late : List.of("late-1", "late-2")) {
      ann.post("/tasks", task(late)).expect(202);
      await(carried, late, TaskState.TIMEOUT);
    }
    assertThat(time(ann.get("/tasks/a").expect(200).json(), "lease_expiry")).isAfter(first);
    enough.countDown();
    await(carried, "a", TaskState.SUCCESS);
    JsonNode task = ended("a", "SUCCESS");
    assertThat(task.path("attempt").asInt()).isEqualTo(1);
    assertThat(task.path("retry_count").asInt(-1)).isZero();
    assertThat(task.path("error").asString("none")).isEmpty();
  }

  /** Crashed, recovered by a pod of another region, finished. */
  @Tag("nightly")
  @Test
  void recoveredThenFinished() throws Exception {
    Redis dying = Redis.open(testServer.redisServer.url());
    testServer.pod(dying, "us-east-1", TaskScenariosTest::untilInterrupted);
    ann.post("/tasks", task("a")).expect(202);
    TaskAttempt _ = testServer.begun();
    testServer.pod("eu-west-1", DispatchTestServer::done);
    dying.close();
    await(carried, "a", TaskState.SUCCESS);
    JsonNode task = ended("a", "SUCCESS");
    assertThat(task.path("attempt").asInt()).isEqualTo(2);
    assertThat(task.path("retry_count").asInt()).isEqualTo(1);
    assertThat(task.path("pod_id").asString()).isEqualTo("pod-2");
    assertThat(task.path("region").asString()).isEqualTo("us-east-1");
    assertThat(story("a"))
        .containsExactly(
            "task.pending", "task.processing", "task.pending", "task.processing", "task.success");
    assertThat(testServer.meters.scrape()).contains("sweep=\"overflow\"");
  }

  private static AttemptOutcome untilInterrupted(TaskAttempt run) throws InterruptedException {
    new CountDownLatch(1).await();
    return new AttemptOutcome.AttemptDone();
  }

  /** A final state is kept in Redis for two days and does not change. */
  private JsonNode ended(String id, String state) {
    JsonNode task = ann.get("/tasks/" + id).expect(200).json();
    assertThat(task.path("state").asString()).isEqualTo(state);
    assertThat(task.path("completed_at").asString()).endsWith("Z");
    assertThat(ann.post("/tasks/" + id + "/stop").expect(202).json()).isEqualTo(task);
    long kept = testServer.redis.call(commands -> commands.ttl("convoke:task:" + id));
    assertThat(Duration.ofSeconds(kept)).isBetween(Duration.ofHours(47), Duration.ofHours(48));
    return task;
  }

  private List<String> story(String id) {
    return TasksTest.types(ann.get("/tasks/" + id + "/timeline").expect(200).json());
  }

  private static Instant time(JsonNode task, String name) {
    return Instant.parse(task.path(name).asString());
  }
}

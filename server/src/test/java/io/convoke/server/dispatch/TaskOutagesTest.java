package io.convoke.server.dispatch;

import static io.convoke.server.dispatch.DispatchTestServer.await;
import static io.convoke.server.dispatch.DispatchTestServer.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.HealthChecks;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An accepted task reaches a final state although Redis loses it or is unreachable (dispatch-11).
 */
class TaskOutagesTest {
  @Tag("nightly")
  @Test
  void aRedisThatForgetsEverythingLosesNothingThatWasAccepted() {
    try (DispatchTestServer testServer = DispatchTestServer.open(DispatchConfig.seed());
        SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      ContractClient ann = testServer.server.user(7);
      for (int i = 0; i < 20; i++) {
        ann.post("/tasks", task("t" + i)).expect(202);
      }
      ann.post("/tasks/t0/stop").expect(202);
      await(carried, "t0", TaskState.FAILED);

      testServer.redisServer.flush();

      assertThat(ann.get("/tasks/t1").expect(200).json().path("state").asString())
          .isEqualTo("PENDING");
      ann.post("/tasks", task("t1")).expect(200);
      testServer.pod("us-east-1", DispatchTestServer::done);
      for (int i = 1; i < 20; i++) {
        awaitListed(carried, ann, "t" + i);
      }
      assertThat(TasksTest.ids(ann.get("/tasks?state=SUCCESS").expect(200).json())).hasSize(19);
      assertThat(state(ann, "t0")).isEqualTo("FAILED");
      assertThat(testServer.begun).extracting(run -> run.task().id()).doesNotContain("t0");
    }
  }

  private static void awaitListed(
      SignalObservation<List<TaskTransition>> carried, ContractClient who, String id) {
    while (!TasksTest.ids(who.get("/tasks?state=SUCCESS").json()).contains(id)) {
      List<TaskTransition> _ = carried.await(DispatchTestServer.SOON);
    }
  }

  @Test
  void withRedisAwayTasksAreAcceptedStoppedAndShownAndRunWhenItIsBack() {
    try (DispatchTestServer testServer = DispatchTestServer.open(DispatchConfig.seed());
        SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      ContractClient ann = testServer.server.user(7);
      assertThat(testServer.dispatch.health()).isEqualTo(HealthChecks.HealthReading.ok());
      testServer.redisServer.kill();
      assertThat(ann.post("/tasks", task("a")).expect(202).json().path("state").asString())
          .isEqualTo("PENDING");
      ann.post("/tasks", task("a")).expect(200);
      ann.post("/tasks", task("b")).expect(202);
      ann.post("/tasks/b/stop").expect(202);
      assertThat(TasksTest.ids(ann.get("/tasks").expect(200).json())).containsExactly("b", "a");
      ann.get("/regions").expect(503, "unavailable");
      assertThat(testServer.dispatch.health().status())
          .isEqualTo(HealthChecks.HealthStatus.DEGRADED);
      assertThat(testServer.meters.scrape()).contains("convoke_dispatch_outbox NaN");

      testServer.redisServer.restart();
      testServer.pod("us-east-1", DispatchTestServer::done);
      await(carried, "a", TaskState.SUCCESS);
      while (!state(ann, "b").equals("FAILED")) {
        List<TaskTransition> _ = carried.await(DispatchTestServer.SOON);
      }
      assertThat(testServer.begun).extracting(run -> run.task().id()).containsExactly("a");
    }
  }

  @Test
  void withoutADatabaseTasksAreReadFromRedisAndOtherRequestsAreRefused() throws Exception {
    try (DispatchTestServer testServer = new DispatchTestServer(DispatchConfig.seed(), false)) {
      testServer.dispatch.start();
      ContractClient ann = testServer.server.user(7);
      ContractClient bob = testServer.server.user(8);
      try (SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
        testServer.pod("us-east-1", run -> new AttemptOutcome.AttemptFailed("no more disk space"));
        ann.post("/tasks", task("a")).expect(202);
        ann.post("/tasks", task("a")).expect(200);
        await(carried, "a", TaskState.FAILED);
      }
      assertThat(state(ann, "a")).isEqualTo("FAILED");
      bob.get("/tasks/a").expect(404);
      bob.post("/tasks/a/stop").expect(404);
      ann.get("/regions").expect(200);
      assertThat(ann.get("/tasks").expect(409, "no_ledger").json().path("ledger").asString())
          .isEqualTo("none");
      ann.get("/tasks/a/timeline").expect(409, "no_ledger");
      ann.get("/dead-letters/tasks").expect(409, "no_ledger");
      ann.post("/dead-letters/tasks/requeue", Map.of()).expect(409, "no_ledger");
      ann.post("/dead-letters/tasks/discard", Map.of("dry_run", true)).expect(409, "no_ledger");
      assertThat(ann.get("/events").expect(200).json().path("items")).isEmpty();

      String instead = ann.post("/tasks/a/requeue").expect(202).json().path("task_id").asString();
      assertThat(ann.post("/tasks/a/requeue").expect(200).json().path("task_id").asString())
          .isEqualTo(instead);
      assertThat(testServer.begun().task().id()).isEqualTo("a");
      assertThat(testServer.begun().task().id()).isEqualTo(instead);

      testServer.redisServer.kill();
      ann.post("/tasks", task("b")).expect(503, "unavailable");
      ann.get("/tasks/a").expect(503);
      ann.post("/tasks/a/stop").expect(503);
      assertThat(testServer.dispatch.health().detail()).contains("none is accepted");
    }
  }

  private static String state(ContractClient who, String id) {
    return who.get("/tasks/" + id).expect(200).json().path("state").asString();
  }
}

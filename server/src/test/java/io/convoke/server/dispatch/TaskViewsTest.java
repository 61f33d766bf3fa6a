package io.convoke.server.dispatch;

import static io.convoke.server.dispatch.DispatchTestServer.SOON;
import static io.convoke.server.dispatch.DispatchTestServer.await;
import static io.convoke.server.dispatch.DispatchTestServer.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.EventReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Views of tasks: regions, events, metrics. */
class TaskViewsTest {
  private final DispatchTestServer testServer = DispatchTestServer.open(DispatchConfig.seed());
  private final ContractClient ann = testServer.server.user(7);
  private final ContractClient bob = testServer.server.user(8);

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void regionsTellWhatWaitsAndWhoCouldTakeIt() throws Exception {
    CountDownLatch enough = new CountDownLatch(1);
    testServer.pod(
        "us-east-1",
        run -> {
          enough.await();
          return new AttemptOutcome.AttemptDone();
        });
    for (int i = 0; i < 3; i++) {
      ann.post("/tasks", task("t" + i)).expect(202);
    }
    Map<String, Object> anywhere = task("anywhere");
    assertThat(anywhere.remove("region")).isNotNull();
    ann.post("/tasks", anywhere).expect(202);
    TaskAttempt _ = testServer.begun();
    TaskAttempt _ = testServer.begun();

    JsonNode answer = bob.get("/regions").expect(200).json();
    assertThat(answer.path("terms").path("task_timeout_ms").asInt()).isEqualTo(30_000);
    assertThat(answer.path("terms").path("lease_ms").asInt()).isEqualTo(45_000);
    JsonNode items = answer.path("items");
    assertThat(items.path(0).path("region").asString()).isEqualTo("global");
    assertThat(items.path(0).path("pods").asInt(-1)).isZero();
    JsonNode region = items.path(1);
    assertThat(region.propertyNames())
        .containsExactlyInAnyOrder(
            "region", "pending", "processing", "oldest_pending_ms", "pods", "slots", "free_slots");
    assertThat(region.path("region").asString()).isEqualTo("us-east-1");
    assertThat(region.path("processing").asInt()).isEqualTo(2);
    assertThat(items.path(0).path("pending").asInt() + region.path("pending").asInt()).isEqualTo(2);
    assertThat(region.path("pods").asInt()).isEqualTo(1);
    assertThat(region.path("slots").asInt()).isEqualTo(2);
    assertThat(region.path("free_slots").asInt(-1)).isZero();
    assertThat(region.path("oldest_pending_ms").asInt(-1)).isBetween(0, 20_000);
    JsonNode pods = testServer.server.admin().get("/pods").expect(200).json().path("items");
    assertThat(pods).hasSize(1);
    assertThat(pods.path(0).path("pod_id").asString()).isNotEmpty();
    assertThat(pods.path(0).path("region").asString()).isEqualTo("us-east-1");
    assertThat(pods.path(0).path("slots").asInt()).isEqualTo(2);
    assertThat(pods.path(0).path("processing").asInt()).isEqualTo(2);
    assertThat(pods.path(0).path("draining").asBoolean(true)).isFalse();
    bob.get("/pods").expect(403);
    enough.countDown();
  }

  @Test
  void anOperatorDrainsAPodAndLetsItTakeTasksAgain() throws Exception {
    testServer.pod("us-east-1", DispatchTestServer::done);
    String pod =
        testServer.server.admin().get("/pods").expect(200).json().at("/items/0/pod_id").asString();
    JsonNode drained = testServer.server.admin().post("/pods/" + pod + "/drain").expect(202).json();
    assertThat(drained.path("pod_id").asString()).isEqualTo(pod);
    assertThat(drained.path("draining").asBoolean()).isTrue();
    ann.post("/tasks", task("a")).expect(202);
    assertThat(ann.get("/tasks/a").expect(200).json().path("state").asString())
        .isEqualTo("PENDING");

    JsonNode resumed =
        testServer.server.admin().post("/pods/" + pod + "/resume").expect(202).json();
    assertThat(resumed.path("draining").asBoolean(true)).isFalse();
    assertThat(testServer.begun().task().id()).isEqualTo("a");

    testServer.server.admin().post("/pods/unknown/drain").expect(404);
    testServer.server.admin().post("/pods/no%20body/drain").expect(400);
    bob.post("/pods/" + pod + "/drain").expect(403);
  }

  @Test
  void listsAreNarrowedByType() {
    Map<String, Object> other = task("other");
    var _ = other.put("type", "record");
    ann.post("/tasks", task("a")).expect(202);
    ann.post("/tasks", other).expect(202);
    JsonNode found = ann.get("/tasks?type=record").expect(200).json().path("items");
    assertThat(found.findValuesAsString("id")).containsExactly("other");
  }

  @Test
  void everyMoveIsAnEventOfItsOwnersAndReachesTheirStream() throws Exception {
    try (EventReader anns = ann.events("/events?after=0");
        EventReader bobs = bob.events("/events?after=0");
        SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      testServer.pod("us-east-1", DispatchTestServer::done);
      ann.post("/tasks", task("a")).expect(202);
      List<String> heard = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        EventReader.Event event = anns.next(SOON);
        heard.add(event.type());
        assertThat(event.data().path("subject").asString()).isEqualTo("task:a");
        JsonNode data = event.data().path("data");
        assertThat(data.path("task_id").asString()).isEqualTo("a");
        assertThat(data.path("request_id").asString()).isEqualTo("req_a");
        assertThat(data.path("channel").asString()).isEqualTo("meeting-room-alpha");
        assertThat(data.path("region").asString()).isEqualTo("us-east-1");
      }
      assertThat(heard).containsExactly("task.pending", "task.processing", "task.success");
      await(carried, "a", TaskState.SUCCESS);
      assertThat(bobs.quiet()).isTrue();
    }
    JsonNode page = ann.get("/tasks/a/timeline?limit=2").expect(200).json();
    assertThat(TasksTest.types(page)).containsExactly("task.pending", "task.processing");
    assertThat(
            TasksTest.types(
                ann.get("/tasks/a/timeline?cursor=" + page.path("next_cursor").asString())
                    .expect(200)
                    .json()))
        .containsExactly("task.success");
    assertThat(TasksTest.types(ann.get("/events?type=task.success").expect(200).json())).hasSize(1);
  }

  /** Ann's task was deleted after its retention; its events are kept longer. */
  @Test
  void theTimelineOfAnIdThatWasFreedShowsNothingOfItsFormerUser() {
    testServer.database.run(
        tx ->
            testServer.journal.append(
                tx,
                List.of(
                    NewJournalEvent.of(
                        "task.success",
                        TaskJournal.subject("a"),
                        Optional.of(7L),
                        Map.of("channel", "anns-channel")))));
    try (SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      bob.post("/tasks", task("a")).expect(202);
      await(carried, "a", TaskState.PENDING);
    }
    assertThat(TasksTest.types(bob.get("/tasks/a/timeline").expect(200).json()))
        .containsExactly("task.pending");
  }

  @Test
  void whatIsCountedIsCountedByRegion() throws Exception {
    try (SignalObservation<List<TaskTransition>> carried = testServer.carried()) {
      ann.post("/tasks", task("a")).expect(202);
      testServer.pod("us-east-1", DispatchTestServer::done);
      await(carried, "a", TaskState.SUCCESS);
    }
    // A region's gauges are there from the scrape after the one that saw it.
    assertThat(testServer.meters.scrape()).contains("convoke_dispatch_outbox");
    assertThat(testServer.meters.scrape())
        .contains("convoke_dispatch_enqueued_total{outcome=\"created\"} 1.0")
        .contains(
            "convoke_dispatch_transitions_total{region=\"us-east-1\",state=\"processing\"} 1.0")
        .contains("convoke_dispatch_transitions_total{region=\"us-east-1\",state=\"success\"} 1.0")
        .contains("convoke_dispatch_pending{region=\"us-east-1\"}")
        .contains("convoke_dispatch_processing{region=\"us-east-1\"}")
        .contains("convoke_dispatch_pods{region=\"us-east-1\"}")
        .contains("convoke_dispatch_slots{region=\"us-east-1\"}")
        .contains("convoke_dispatch_slots_free{region=\"us-east-1\"}")
        .contains("convoke_dispatch_pending_oldest_seconds{region=\"us-east-1\"}");
  }
}

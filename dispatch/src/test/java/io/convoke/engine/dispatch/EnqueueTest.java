package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** enqueue.lua: nothing -> PENDING. */
class EnqueueTest {
  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  @Test
  void aTaskIsPendingInItsRegionsQueueWithAllFieldsOfItsJson() {
    EnqueueResult answer =
        dispatchTestKit.run(
            dispatchTestKit.scripts.enqueue(DispatchTestKit.task("a1", "eu", "room:alpha")));
    assertThat(answer).isInstanceOf(EnqueueResult.Created.class);
    Task task = dispatchTestKit.task("a1");
    assertThat(TaskJson.redacted(task).toString())
        .isEqualTo(
            """
            {"id":"a1","type":"snapshot","action":"start","channel":"room:alpha",\
            "request_id":"req-a1","payload":{"access_token":"***","workerUid":42},\
            "state":"PENDING","created_at":"2025-01-13T14:32:18.000Z",\
            "pending_at":"2025-01-13T14:32:18.000Z","processed_at":null,"completed_at":null,\
            "error":"","worker_id":null,"lease_expiry":null,"retry_count":0,"region":"eu",\
            "pod_id":null,"attempt":0}\
            """);
    assertThat(TaskJson.full(task).path("payload").path("access_token").asString())
        .isEqualTo("secret");
    assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.queue("eu"))).isEqualTo(1);
    assertThat(dispatchTestKit.outbox()).containsExactly("a1 PENDING 0");
  }

  @Test
  void theSameRequestAgainGetsTheSameTaskWhateverItsStateAndId() {
    String id = dispatchTestKit.enqueue("eu", "alpha");
    NewTask again = DispatchTestKit.task(id, "eu", "alpha");
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.enqueue(again)))
        .isInstanceOf(EnqueueResult.AlreadyEnqueued.class);
    StopResult _ = dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO));
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.enqueue(again)))
        .isInstanceOfSatisfying(
            EnqueueResult.AlreadyEnqueued.class,
            alreadyEnqueued ->
                assertThat(alreadyEnqueued.task().state()).isEqualTo(TaskState.FAILED));
    assertThat(dispatchTestKit.outbox()).hasSize(2);
  }

  @Test
  void anIdBelongsToOneRequest() {
    String id = dispatchTestKit.enqueue("eu", "alpha");
    NewTask other = request(DispatchTestKit.task(id, "eu", "alpha"), "another");
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.enqueue(other)))
        .isInstanceOf(EnqueueResult.IdTaken.class);
  }

  /** Concurrent tasks share one call; it detects duplicates among its own tasks too. */
  @Test
  void manyInOneCallAreTakenInAsIfTheyCameOneByOne() {
    NewTask first = DispatchTestKit.task("a", "eu", "alpha");
    List<EnqueueResult> answers =
        enqueue(
            dispatchTestKit.scripts,
            Stream.of(
                    first,
                    first,
                    request(DispatchTestKit.task("b", "eu", "alpha"), "req-a"),
                    request(first, "another"),
                    DispatchTestKit.unique("u1", "beta"),
                    DispatchTestKit.unique("u2", "beta"),
                    DispatchTestKit.task("c", "", "alpha"))
                .map(EnqueueRequest::of));
    assertThat(answers.get(0)).isInstanceOf(EnqueueResult.Created.class);
    for (int again : List.of(1, 2)) {
      assertThat(answers.get(again))
          .isInstanceOfSatisfying(
              EnqueueResult.AlreadyEnqueued.class,
              alreadyEnqueued ->
                  assertThat(alreadyEnqueued.task()).isEqualTo(dispatchTestKit.task("a")));
    }
    assertThat(answers.get(3)).isInstanceOf(EnqueueResult.IdTaken.class);
    assertThat(answers.get(4))
        .isInstanceOfSatisfying(
            EnqueueResult.Created.class,
            made -> assertThat(made.task()).isEqualTo(dispatchTestKit.task("u1")));
    assertThat(answers.get(5)).isEqualTo(new EnqueueResult.ChannelBusy("u1"));
    assertThat(answers.get(6)).isInstanceOf(EnqueueResult.Created.class);
    assertThat(dispatchTestKit.outbox())
        .containsExactly("a PENDING 0", "u1 PENDING 0", "c PENDING 0");
    assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.queue("eu"))).isEqualTo(2);
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("eu"))).isEqualTo(1);
  }

  @Test
  void aQueueThatIsFullInTheMiddleOfACallTakesNoMore() {
    DispatchConfig seed = DispatchTestKit.CONFIG;
    TaskScripts few =
        new TaskScripts(
            DispatchTestKit.MANUAL_CLOCK,
            dispatchTestKit.keySpace,
            new DispatchConfig(
                seed.taskTimeout(),
                seed.lease(),
                seed.maxAttempts(),
                seed.overflowAfter(),
                seed.deadAfter(),
                seed.idle(),
                2,
                seed.retry()));
    List<EnqueueResult> answers =
        enqueue(
            few,
            Stream.of("a", "b", "c")
                .map(id -> EnqueueRequest.of(DispatchTestKit.task(id, "eu", "alpha"))));
    assertThat(answers.getLast()).isEqualTo(new EnqueueResult.QueueFull());
    assertThat(dispatchTestKit.size(dispatchTestKit.keySpace.queue("eu"))).isEqualTo(2);
  }

  private static NewTask request(NewTask task, String request) {
    return new NewTask(
        task.id(),
        request,
        task.type(),
        task.action(),
        task.channel(),
        task.region(),
        task.payload(),
        task.unique(),
        task.userId());
  }

  @Test
  void aChannelMayHaveManyTasksUnlessOneIsAskedFor() {
    String _ = dispatchTestKit.enqueue("eu", "alpha");
    String _ = dispatchTestKit.enqueue("eu", "alpha");
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.enqueue(DispatchTestKit.unique("u1", "alpha"))))
        .isInstanceOf(EnqueueResult.Created.class);
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.enqueue(DispatchTestKit.unique("u2", "alpha"))))
        .isEqualTo(new EnqueueResult.ChannelBusy("u1"));
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.enqueue(DispatchTestKit.unique("u3", "beta"))))
        .isInstanceOf(EnqueueResult.Created.class);
    StopResult _ = dispatchTestKit.run(dispatchTestKit.scripts.stop("u1", Duration.ZERO));
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.enqueue(DispatchTestKit.unique("u4", "alpha"))))
        .isInstanceOf(EnqueueResult.Created.class);
  }

  @Test
  void oneTokenWaitsForOneWhoListensThere() {
    String _ = dispatchTestKit.enqueue("eu", "alpha");
    String _ = dispatchTestKit.enqueue("eu", "alpha");
    String _ = dispatchTestKit.enqueue("", "alpha");
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("eu"))).isEqualTo(1);
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.wake("global"))).isEqualTo(1);
    assertThat(dispatchTestKit.length(dispatchTestKit.keySpace.maintenanceList())).isEqualTo(1);
  }

  @Test
  void aFullQueueSaysSo() {
    TaskScripts small =
        new TaskScripts(
            DispatchTestKit.MANUAL_CLOCK,
            dispatchTestKit.keySpace,
            new DispatchConfig(
                Duration.ofSeconds(30),
                Duration.ofSeconds(45),
                5,
                Duration.ofSeconds(10),
                Optional.empty(),
                Duration.ofSeconds(30),
                1,
                RetryBackoff.standard()));
    assertThat(dispatchTestKit.run(small.enqueue(DispatchTestKit.task("one", "eu", "a"))))
        .isInstanceOf(EnqueueResult.Created.class);
    assertThat(dispatchTestKit.run(small.enqueue(DispatchTestKit.task("two", "eu", "a"))))
        .isInstanceOf(EnqueueResult.QueueFull.class);
    assertThat(dispatchTestKit.run(small.enqueue(DispatchTestKit.task("three", "us", "a"))))
        .isInstanceOf(EnqueueResult.Created.class);
  }

  private List<EnqueueResult> enqueue(TaskScripts taskScripts, Stream<EnqueueRequest> arrivals) {
    return dispatchTestKit.run(taskScripts.enqueue(arrivals.toList())).stream()
        .map(Optional::orElseThrow)
        .toList();
  }
}

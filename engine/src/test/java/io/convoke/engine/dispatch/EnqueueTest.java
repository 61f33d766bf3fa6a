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
  private final Kit kit = new Kit();

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void aTaskIsPendingInItsRegionsQueueAndShownAsTheSeedShowsIt() {
    Enqueued answer = kit.run(kit.functions.enqueue(Kit.task("a1", "eu", "room:alpha")));
    assertThat(answer).isInstanceOf(Enqueued.Created.class);
    Task task = kit.task("a1");
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
    assertThat(kit.size(kit.place.queue("eu"))).isEqualTo(1);
    assertThat(kit.outbox()).containsExactly("a1 PENDING 0");
  }

  @Test
  void theSameRequestAgainGetsTheSameTaskWhateverItsStateAndId() {
    String id = kit.enqueue("eu", "alpha");
    NewTask again = Kit.task(id, "eu", "alpha");
    assertThat(kit.run(kit.functions.enqueue(again))).isInstanceOf(Enqueued.Known.class);
    Stopped _ = kit.run(kit.functions.stop(id, Duration.ZERO));
    assertThat(kit.run(kit.functions.enqueue(again)))
        .isInstanceOfSatisfying(
            Enqueued.Known.class,
            known -> assertThat(known.task().state()).isEqualTo(TaskState.FAILED));
    assertThat(kit.outbox()).hasSize(2);
  }

  @Test
  void anIdBelongsToOneRequest() {
    String id = kit.enqueue("eu", "alpha");
    NewTask other = request(Kit.task(id, "eu", "alpha"), "another");
    assertThat(kit.run(kit.functions.enqueue(other))).isInstanceOf(Enqueued.IdTaken.class);
  }

  /**
   * What comes at the same time is one call; it knows its own tasks as it knows those of before.
   */
  @Test
  void manyInOneCallAreTakenInAsIfTheyCameOneByOne() {
    NewTask first = Kit.task("a", "eu", "alpha");
    List<Enqueued> answers =
        enqueue(
            kit.functions,
            Stream.of(
                    first,
                    first,
                    request(Kit.task("b", "eu", "alpha"), "req-a"),
                    request(first, "another"),
                    Kit.unique("u1", "beta"),
                    Kit.unique("u2", "beta"),
                    Kit.task("c", "", "alpha"))
                .map(Arrival::of));
    assertThat(answers.get(0)).isInstanceOf(Enqueued.Created.class);
    for (int again : List.of(1, 2)) {
      assertThat(answers.get(again))
          .isInstanceOfSatisfying(
              Enqueued.Known.class, known -> assertThat(known.task()).isEqualTo(kit.task("a")));
    }
    assertThat(answers.get(3)).isInstanceOf(Enqueued.IdTaken.class);
    assertThat(answers.get(4))
        .isInstanceOfSatisfying(
            Enqueued.Created.class, made -> assertThat(made.task()).isEqualTo(kit.task("u1")));
    assertThat(answers.get(5)).isEqualTo(new Enqueued.ChannelBusy("u1"));
    assertThat(answers.get(6)).isInstanceOf(Enqueued.Created.class);
    assertThat(kit.outbox()).containsExactly("a PENDING 0", "u1 PENDING 0", "c PENDING 0");
    assertThat(kit.size(kit.place.queue("eu"))).isEqualTo(2);
    assertThat(kit.length(kit.place.wake("eu"))).isEqualTo(1);
  }

  @Test
  void aQueueThatIsFullInTheMiddleOfACallTakesNoMore() {
    DispatchTerms seed = Kit.TERMS;
    Functions few =
        new Functions(
            Kit.BY_HAND,
            kit.place,
            new DispatchTerms(
                seed.taskTimeout(),
                seed.lease(),
                seed.maxAttempts(),
                seed.overflowAfter(),
                seed.deadAfter(),
                seed.idle(),
                2,
                seed.retry()));
    List<Enqueued> answers =
        enqueue(few, Stream.of("a", "b", "c").map(id -> Arrival.of(Kit.task(id, "eu", "alpha"))));
    assertThat(answers.getLast()).isEqualTo(new Enqueued.QueueFull());
    assertThat(kit.size(kit.place.queue("eu"))).isEqualTo(2);
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
    String _ = kit.enqueue("eu", "alpha");
    String _ = kit.enqueue("eu", "alpha");
    assertThat(kit.run(kit.functions.enqueue(Kit.unique("u1", "alpha"))))
        .isInstanceOf(Enqueued.Created.class);
    assertThat(kit.run(kit.functions.enqueue(Kit.unique("u2", "alpha"))))
        .isEqualTo(new Enqueued.ChannelBusy("u1"));
    assertThat(kit.run(kit.functions.enqueue(Kit.unique("u3", "beta"))))
        .isInstanceOf(Enqueued.Created.class);
    Stopped _ = kit.run(kit.functions.stop("u1", Duration.ZERO));
    assertThat(kit.run(kit.functions.enqueue(Kit.unique("u4", "alpha"))))
        .isInstanceOf(Enqueued.Created.class);
  }

  @Test
  void oneTokenWaitsForOneWhoListensThere() {
    String _ = kit.enqueue("eu", "alpha");
    String _ = kit.enqueue("eu", "alpha");
    String _ = kit.enqueue("", "alpha");
    assertThat(kit.length(kit.place.wake("eu"))).isEqualTo(1);
    assertThat(kit.length(kit.place.wake("global"))).isEqualTo(1);
    assertThat(kit.length(kit.place.tend())).isEqualTo(1);
  }

  @Test
  void aFullQueueSaysSo() {
    Functions small =
        new Functions(
            Kit.BY_HAND,
            kit.place,
            new DispatchTerms(
                Duration.ofSeconds(30),
                Duration.ofSeconds(45),
                5,
                Duration.ofSeconds(10),
                Optional.empty(),
                Duration.ofSeconds(30),
                1,
                RetryBackoff.standard()));
    assertThat(kit.run(small.enqueue(Kit.task("one", "eu", "a"))))
        .isInstanceOf(Enqueued.Created.class);
    assertThat(kit.run(small.enqueue(Kit.task("two", "eu", "a"))))
        .isInstanceOf(Enqueued.QueueFull.class);
    assertThat(kit.run(small.enqueue(Kit.task("three", "us", "a"))))
        .isInstanceOf(Enqueued.Created.class);
  }

  private List<Enqueued> enqueue(Functions functions, Stream<Arrival> arrivals) {
    return kit.run(functions.enqueue(arrivals.toList())).stream()
        .map(Optional::orElseThrow)
        .toList();
  }
}

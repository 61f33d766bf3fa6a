package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pods that take some types only, or have little capacity. No server ticks here, so a pod starts a
 * task only if the task itself wakes it.
 */
class PodTypesTest {
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final DispatchConfig CONFIG = DispatchConfig.seed();
  private static final PodCapacity ANY = PodCapacity.COUNT_ONLY;

  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final TaskQueue taskQueue = new TaskQueue(redis, CONFIG);
  private final TestSignal<Task> begun = new TestSignal<>();
  private final SignalObservation<Task> runs = begun.observe();
  private final CountDownLatch finish = new CountDownLatch(1);
  private final List<Pod> pods = new ArrayList<>();

  @BeforeEach
  void becomeWhole() {
    DispatchTestKit.becomeWhole(redis, KeySpace.ONE);
  }

  @AfterEach
  void close() {
    finish.countDown();
    pods.forEach(Pod::close);
    redis.close();
    server.close();
  }

  @Test
  void waitingTasksOfAnotherTypeDoNotHideTheOneThatAnIdlePodTakes() {
    for (int i = 0; i < 40; i++) {
      enqueue("record-" + i, "eu");
    }
    pod("eu", only("snapshot"));
    enqueue("snapshot-1", "eu");
    assertThat(runs.await(LONG).id()).isEqualTo("snapshot-1");
    enqueue("record-more", "eu");
    enqueue("snapshot-2", "");
    assertThat(runs.await(LONG).id()).isEqualTo("snapshot-2");
  }

  @Test
  void aPodThatTakesOtherTypesSwallowsNoWake() {
    pod("eu", only("record"));
    pod("eu", only("record"));
    pod("eu", only("snapshot"));
    pod("us", only("stream"));
    for (String type : List.of("snapshot", "record", "stream")) {
      enqueue(type + "-1", type.equals("stream") ? "" : "eu");
      assertThat(runs.await(LONG).type()).isEqualTo(type);
    }
  }

  @Test
  void aPodThatTakesAllTypesIsWokenBesideOneThatDoesNotTakeThis() {
    pod("eu", only("snapshot"));
    pod("eu", ANY);
    enqueue("record-1", "eu");
    assertThat(runs.await(LONG).podId()).contains("pod-1");
  }

  /** Both have waited longer than the pod with capacity, and have a free slot. */
  @Test
  void aPodWithoutTheCapacityPassesTheWakeOn() {
    PodCapacity podCapacity = new PodCapacity(4, Map.of("record", 3.0), OptionalDouble.of(1));
    pod("eu", podCapacity);
    enqueue("record-1", "eu");
    assertThat(runs.await(LONG).podId()).contains("pod-0");
    pod("eu", podCapacity);
    enqueue("record-2", "eu");
    assertThat(runs.await(LONG).podId()).contains("pod-1");
    pod("eu", new PodCapacity(4, Map.of("record", 5.0), OptionalDouble.of(1)));
    pod("eu", podCapacity);
    enqueue("record-3", "eu");
    assertThat(runs.await(LONG).podId()).contains("pod-3");
  }

  /** As numbers of Java, 0.3 less 0.1 is less than 0.2. */
  @Test
  void aTaskThatTakesTheRestOfTheCapacityFits() {
    pod("eu", new PodCapacity(0.3, Map.of("record", 0.1, "snapshot", 0.2), OptionalDouble.empty()));
    enqueue("record-1", "eu");
    assertThat(runs.await(LONG).id()).isEqualTo("record-1");
    enqueue("snapshot-1", "eu");
    assertThat(runs.await(LONG).id()).isEqualTo("snapshot-1");
  }

  private static PodCapacity only(String type) {
    return new PodCapacity(1, Map.of(type, 0.0), OptionalDouble.empty());
  }

  private void enqueue(String id, String region) {
    NewTask typed =
        DispatchTestKit.ofType(id.replaceAll("-.*", ""), DispatchTestKit.task(id, region, id));
    assertThat(taskQueue.enqueue(typed)).isInstanceOf(EnqueueResult.Created.class);
  }

  /** It waits for a token when this returns. */
  private void pod(String region, PodCapacity podCapacity) {
    pods.add(
        new Pod(
            redis,
            new PodId("pod-" + pods.size(), region),
            2,
            podCapacity,
            CONFIG,
            run -> {
              begun.emit(run.task());
              finish.await();
              return new AttemptOutcome.AttemptDone();
            }));
    String waiting = "blocked_clients:" + pods.size() + "\r";
    while (!redis.call(commands -> commands.info("clients")).contains(waiting)) {
      LockSupport.parkNanos(10_000_000);
    }
  }
}

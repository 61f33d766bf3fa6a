package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.EmbeddedRedisCluster;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.stores.RedisFlavor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks of several regions on a cluster of real servers, through the death of a master. */
@Tag("nightly")
class DispatchClusterTest {
  /** The regions and the global queue lie on all three masters. */
  private static final String EU = "eu-west-1";

  private static final String US = "us-east-1";

  /** This region has no pods. */
  private static final String AP = "ap-south-1";

  static List<RedisFlavor> kinds() {
    return RedisFlavor.present();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void tasksOfAllRegionsEndThroughTheDeathOfAMaster(RedisFlavor kind) {
    try (EmbeddedRedisCluster cluster = LocalStores.forTests().ownCluster(kind);
        DispatchTestFleet dispatchTestFleet = new DispatchTestFleet(cluster.url())) {
      dispatchTestFleet.runTicks();
      everyRegionsTasksRunSomewhere(dispatchTestFleet);
      requestsAndStopsAreFoundWhereverTheyAre(dispatchTestFleet);
      whatRunsFarFromHomeIsHeldAndStopped(dispatchTestFleet);
      whoDrainsTakesNothingFromAnywhere(dispatchTestFleet);
      dispatchTestFleet.loadThrough(
          List.of(EU, US, AP, ""),
          KeySpace.of(EU),
          meanwhile -> {
            EmbeddedRedis _ = cluster.killMasterLosing(KeySpace.of(EU).slot(), meanwhile);
          });
      dispatchTestFleet.everyAcceptedTaskHasEnded();
      dispatchTestFleet.noAttemptWasHeldByTwo();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void regionsThatUsersNamedKeepNoRegionOfPodsOut(RedisFlavor kind) {
    try (EmbeddedRedisCluster cluster = LocalStores.forTests().ownCluster(kind);
        DispatchTestFleet dispatchTestFleet = new DispatchTestFleet(cluster.url())) {
      for (int i = 0; i < KeySpaceDirectory.REGIONS_MAX; i++) {
        dispatchTestFleet.submit("task-" + i, "region-" + i);
      }
      KeySpaceDirectory directory = dispatchTestFleet.tasks().keySpaces();
      while (directory.refresh().size() <= KeySpaceDirectory.REGIONS_MAX) {
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(dispatchTestFleet.dispatch().submit(DispatchTestKit.task("early", US, "room")))
          .isEqualTo(new EnqueueResult.QueueFull());
      assertThat(directory.refresh()).doesNotContain(directory.home(AP));
      boolean _ = dispatchTestFleet.tasks().restore(() -> List.of(accepted("left", AP)));
      assertThat(directory.refresh()).contains(directory.home(AP));
      Pod pod = dispatchTestFleet.pod(US, 1, run -> new AttemptOutcome.AttemptDone());
      while (!directory.refresh().contains(directory.home(US))) {
        LockSupport.parkNanos(10_000_000);
      }
      dispatchTestFleet.submit("late", US);
      dispatchTestFleet.runTicks();
      assertThat(dispatchTestFleet.awaitEnd("late")).isEqualTo(TaskState.SUCCESS);
      assertThat(dispatchTestFleet.tasks().find("late").flatMap(Task::podId))
          .contains(pod.name().id());
    }
  }

  /** A task whose server died before Redis refused it. */
  private static OpenTask accepted(String id, String region) {
    return new OpenTask(
        id,
        id,
        Optional.of(region),
        "room",
        Optional.empty(),
        "record",
        DispatchTestKit.task(id, region, "room").spec().toString(),
        TaskState.PENDING,
        0,
        0,
        false,
        false,
        Duration.ZERO,
        Duration.ZERO,
        0,
        Optional.empty());
  }

  /** Tasks of a region without pods, and tasks without a region, run elsewhere. */
  private static void everyRegionsTasksRunSomewhere(DispatchTestFleet dispatchTestFleet) {
    Pod eu = dispatchTestFleet.pod(EU, 2, run -> new AttemptOutcome.AttemptDone());
    Pod us = dispatchTestFleet.pod(US, 2, run -> new AttemptOutcome.AttemptDone());
    for (String region : List.of(EU, US, AP, "")) {
      dispatchTestFleet.submit("life-" + region, region);
    }
    for (String region : List.of(EU, US, AP, "")) {
      assertThat(dispatchTestFleet.awaitEnd("life-" + region))
          .as(region)
          .isEqualTo(TaskState.SUCCESS);
    }
    assertThat(dispatchTestFleet.tasks().find("life-" + EU).orElseThrow().podId())
        .contains(eu.name().id());
    assertThat(dispatchTestFleet.tasks().find("life-" + US).orElseThrow().podId())
        .contains(us.name().id());
    Task spilled = dispatchTestFleet.tasks().find("life-" + AP).orElseThrow();
    assertThat(spilled.lane()).isEqualTo("global:" + AP);
    List<RegionStats> regions = dispatchTestFleet.dispatch().stats().regions();
    assertThat(regions)
        .filteredOn(regionStats -> regionStats.pods() > 0)
        .extracting(RegionStats::name, RegionStats::pods, RegionStats::slots)
        .containsExactlyInAnyOrder(tuple(EU, 1L, 2L), tuple(US, 1L, 2L));
    eu.close();
    us.close();
  }

  private static void requestsAndStopsAreFoundWhereverTheyAre(DispatchTestFleet dispatchTestFleet) {
    NewTask first = DispatchTestKit.task("stopped", AP, "room");
    assertThat(dispatchTestFleet.dispatch().submit(first))
        .isInstanceOf(EnqueueResult.Created.class);
    // The same request for another region: its key space lacks the first task, the database has it.
    NewTask again = DispatchTestKit.task("other", US, "room");
    assertThat(
            dispatchTestFleet
                .dispatch()
                .submit(
                    new NewTask(
                        "other",
                        first.requestId(),
                        again.type(),
                        again.action(),
                        again.channel(),
                        again.region(),
                        again.payload(),
                        false,
                        again.userId())))
        .isInstanceOfSatisfying(
            EnqueueResult.AlreadyEnqueued.class,
            alreadyEnqueued -> assertThat(alreadyEnqueued.task().id()).isEqualTo("stopped"));
    try (Redis elsewhere = Redis.open(dispatchTestFleet.url())) {
      // A process that does not know this region yet.
      assertThat(new TaskQueue(elsewhere, DispatchTestFleet.CONFIG).stop("stopped").result())
          .isEqualTo(TransitionResult.APPLIED);
    }
    assertThat(dispatchTestFleet.awaitEnd("stopped")).isEqualTo(TaskState.FAILED);
    assertThat(dispatchTestFleet.tasks().stop("nobody").result())
        .isEqualTo(TransitionResult.UNKNOWN);
  }

  /** It runs a task of another region, in whose key space it gets the drain setting too. */
  private static void whoDrainsTakesNothingFromAnywhere(DispatchTestFleet dispatchTestFleet) {
    CountDownLatch finish = new CountDownLatch(1);
    TestSignal<TaskAttempt> begun = new TestSignal<>();
    Pod pod =
        dispatchTestFleet.pod(
            US,
            2,
            run -> {
              begun.emit(run);
              finish.await();
              return new AttemptOutcome.AttemptDone();
            });
    String name = pod.name().id();
    try (SignalObservation<TaskAttempt> runs = begun.observe()) {
      dispatchTestFleet.submit("before", AP);
      assertThat(runs.await(DispatchTestFleet.LONG).task().id()).isEqualTo("before");
      assertThat(dispatchTestFleet.dispatch().drain(name, true).orElseThrow().draining()).isTrue();
      while (dispatchTestFleet.dispatch().drain(name, true).orElseThrow().slots() > 0) {
        LockSupport.parkNanos(10_000_000);
      }
      dispatchTestFleet.submit("at-home", US);
      dispatchTestFleet.submit("anywhere", "");
      finish.countDown();
      assertThat(dispatchTestFleet.awaitEnd("before")).isEqualTo(TaskState.SUCCESS);
      assertThat(dispatchTestFleet.dispatch().find("at-home").orElseThrow().state())
          .isEqualTo(TaskState.PENDING);
      assertThat(dispatchTestFleet.dispatch().drain(name, false).orElseThrow().draining())
          .isFalse();
      assertThat(dispatchTestFleet.awaitEnd("at-home")).isEqualTo(TaskState.SUCCESS);
      assertThat(dispatchTestFleet.awaitEnd("anywhere")).isEqualTo(TaskState.SUCCESS);
    }
    pod.close();
  }

  /** Its pod's home is another key space; the pod keeps the task and receives its stop request. */
  private static void whatRunsFarFromHomeIsHeldAndStopped(DispatchTestFleet dispatchTestFleet) {
    TestSignal<TaskAttempt> begun = new TestSignal<>();
    Pod pod =
        dispatchTestFleet.pod(
            US,
            1,
            run -> {
              CountDownLatch stopped = new CountDownLatch(1);
              run.onStop(stopped::countDown);
              begun.emit(run);
              stopped.await();
              return new AttemptOutcome.AttemptDone();
            });
    try (SignalObservation<TaskAttempt> runs = begun.observe();
        SignalObservation<Integer> renewed = pod.renewed().observe()) {
      dispatchTestFleet.submit("far", AP);
      TaskAttempt run = runs.await(DispatchTestFleet.LONG);
      // For longer than a silent pod counts as alive.
      for (int i = 0; i < 3; i++) {
        int _ = renewed.await(DispatchTestFleet.LONG);
      }
      assertThat(run.stopping()).isFalse();
      assertThat(dispatchTestFleet.dispatch().stop("far").result())
          .isEqualTo(TransitionResult.APPLIED);
      assertThat(dispatchTestFleet.awaitEnd("far")).isEqualTo(TaskState.SUCCESS);
      assertThat(dispatchTestFleet.tasks().find("far").orElseThrow().attempt()).isEqualTo(1);
    }
    pod.close();
  }
}

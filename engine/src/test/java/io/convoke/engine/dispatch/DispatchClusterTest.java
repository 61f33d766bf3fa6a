package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.engine.dispatch.Handler.Outcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.lab.stores.RedisCluster;
import io.convoke.lab.stores.RedisKind;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks of several regions on a cluster of real servers, through the death of a master. */
@Tag("nightly")
class DispatchClusterTest {
  /** The regions and the global queue lie on all three masters. */
  private static final String EU = "eu-west-1";

  private static final String US = "us-east-1";

  /** It has no pods. */
  private static final String AP = "ap-south-1";

  static List<RedisKind> kinds() {
    return RedisKind.present();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void tasksOfAllRegionsEndThroughTheDeathOfAMaster(RedisKind kind) {
    try (RedisCluster cluster = Stores.forTests().ownCluster(kind);
        Fleet fleet = new Fleet(cluster.url())) {
      fleet.tend();
      everyRegionsTasksRunSomewhere(fleet);
      requestsAndStopsAreFoundWhereverTheyAre(fleet);
      whatRunsFarFromHomeIsHeldAndStopped(fleet);
      whoDrainsTakesNothingFromAnywhere(fleet);
      fleet.loadThrough(
          List.of(EU, US, AP, ""),
          Place.of(EU),
          meanwhile -> {
            RedisServer _ = cluster.killMasterLosing(Place.of(EU).slot(), meanwhile);
          });
      fleet.everyAcceptedTaskHasEnded();
      fleet.noAttemptWasHeldByTwo();
    }
  }

  /** What no pod of its region takes runs elsewhere, and so does what has no region. */
  private static void everyRegionsTasksRunSomewhere(Fleet fleet) {
    Pod eu = fleet.pod(EU, 2, run -> new Outcome.Done());
    Pod us = fleet.pod(US, 2, run -> new Outcome.Done());
    for (String region : List.of(EU, US, AP, "")) {
      fleet.submit("life-" + region, region);
    }
    for (String region : List.of(EU, US, AP, "")) {
      assertThat(fleet.awaitEnd("life-" + region)).as(region).isEqualTo(TaskState.SUCCESS);
    }
    assertThat(fleet.tasks().find("life-" + EU).orElseThrow().podId()).contains(eu.name().id());
    assertThat(fleet.tasks().find("life-" + US).orElseThrow().podId()).contains(us.name().id());
    Task spilled = fleet.tasks().find("life-" + AP).orElseThrow();
    assertThat(spilled.lane()).isEqualTo("global:" + AP);
    List<Region> regions = fleet.dispatch().survey().regions();
    assertThat(regions)
        .filteredOn(region -> region.pods() > 0)
        .extracting(Region::name, Region::pods, Region::slots)
        .containsExactlyInAnyOrder(tuple(EU, 1L, 2L), tuple(US, 1L, 2L));
    eu.close();
    us.close();
  }

  private static void requestsAndStopsAreFoundWhereverTheyAre(Fleet fleet) {
    NewTask first = Kit.task("stopped", AP, "room");
    assertThat(fleet.dispatch().submit(first)).isInstanceOf(Enqueued.Created.class);
    // The same request for another region: one slot does not know of the other, the ledger does.
    NewTask again = Kit.task("other", US, "room");
    assertThat(
            fleet
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
            Enqueued.Known.class, known -> assertThat(known.task().id()).isEqualTo("stopped"));
    try (Redis elsewhere = Redis.open(fleet.url())) {
      // A process that has never heard of this region.
      assertThat(new Tasks(elsewhere, Fleet.TERMS).stop("stopped").word()).isEqualTo(Word.APPLIED);
    }
    assertThat(fleet.awaitEnd("stopped")).isEqualTo(TaskState.FAILED);
    assertThat(fleet.tasks().stop("nobody").word()).isEqualTo(Word.UNKNOWN);
  }

  /** It runs something far from home, where it is told so too. */
  private static void whoDrainsTakesNothingFromAnywhere(Fleet fleet) {
    CountDownLatch finish = new CountDownLatch(1);
    Signal<TaskRun> begun = new Signal<>();
    Pod pod =
        fleet.pod(
            US,
            2,
            run -> {
              begun.emit(run);
              finish.await();
              return new Outcome.Done();
            });
    String name = pod.name().id();
    try (Observation<TaskRun> runs = begun.observe()) {
      fleet.submit("before", AP);
      assertThat(runs.await(Fleet.LONG).task().id()).isEqualTo("before");
      assertThat(fleet.dispatch().drain(name, true).orElseThrow().draining()).isTrue();
      while (fleet.dispatch().drain(name, true).orElseThrow().slots() > 0) {
        Thread.onSpinWait();
      }
      fleet.submit("at-home", US);
      fleet.submit("anywhere", "");
      finish.countDown();
      assertThat(fleet.awaitEnd("before")).isEqualTo(TaskState.SUCCESS);
      assertThat(fleet.dispatch().find("at-home").orElseThrow().state())
          .isEqualTo(TaskState.PENDING);
      assertThat(fleet.dispatch().drain(name, false).orElseThrow().draining()).isFalse();
      assertThat(fleet.awaitEnd("at-home")).isEqualTo(TaskState.SUCCESS);
      assertThat(fleet.awaitEnd("anywhere")).isEqualTo(TaskState.SUCCESS);
    }
    pod.close();
  }

  /**
   * Its pod is at home in another place, and keeps it and hears that it is to stop all the same.
   */
  private static void whatRunsFarFromHomeIsHeldAndStopped(Fleet fleet) {
    Signal<TaskRun> begun = new Signal<>();
    Pod pod =
        fleet.pod(
            US,
            1,
            run -> {
              CountDownLatch stopped = new CountDownLatch(1);
              run.onStop(stopped::countDown);
              begun.emit(run);
              stopped.await();
              return new Outcome.Done();
            });
    try (Observation<TaskRun> runs = begun.observe();
        Observation<Integer> renewed = pod.renewed().observe()) {
      fleet.submit("far", AP);
      TaskRun run = runs.await(Fleet.LONG);
      // For longer than a pod that says nothing counts as alive.
      for (int i = 0; i < 3; i++) {
        int _ = renewed.await(Fleet.LONG);
      }
      assertThat(run.stopping()).isFalse();
      assertThat(fleet.dispatch().stop("far").word()).isEqualTo(Word.APPLIED);
      assertThat(fleet.awaitEnd("far")).isEqualTo(TaskState.SUCCESS);
      assertThat(fleet.tasks().find("far").orElseThrow().attempt()).isEqualTo(1);
    }
    pod.close();
  }
}

package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.provider.ProviderAdmin.InstanceInfo;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.json.Json;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workflows that the clock starts, on two nodes. */
class ScheduleTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final ZoneId UTC = ZoneId.of("UTC");
  private static final String EACH_SECOND = "* * * * * *";
  private static final String EACH_HOUR = "0 * * * *";

  private final String url = LocalStores.forTests().freshDatabase();
  private final TestSignal<String> ran = new TestSignal<>();

  private Durable node() {
    return Durable.on(url)
        .activity(
            "note",
            String.class,
            (context, what) -> {
              ran.emit(context.instanceId() + " " + what);
              return what;
            })
        .workflow(
            "tick", String.class, (context, what) -> context.activity("note", what, String.class))
        .workflow("pure", String.class, (_, what) -> what)
        .workflow("stay", String.class, (context, what) -> context.event("go", String.class).get())
        .start();
  }

  @Tag("nightly")
  @Test
  void oneRunForEachTickOnTwoNodes() throws Exception {
    try (Durable one = node();
        Durable two = node();
        var runs = ran.observe()) {
      one.schedule("s", EACH_SECOND, UTC, "tick", "tock");
      two.schedule("s", EACH_SECOND, UTC, "tick", "tock");
      List<Instant> ticks = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        ticks.add(tick(runs.await(LONG)));
      }
      assertThat(ticks)
          .doesNotHaveDuplicates()
          .isSorted()
          .allSatisfy(tick -> assertThat(tick).isEqualTo(tick.truncatedTo(ChronoUnit.SECONDS)));
      assertThat(one.unschedule("s")).isTrue();
      while (!one.schedules().isEmpty()) {
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(one.unschedule("s")).isFalse();
      two.schedule("s", EACH_SECOND, UTC, "tick", "tack");
      while (!runs.await(LONG).endsWith(" tack")) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  @Tag("nightly")
  @Test
  void ticksDuringARunPassUnused() throws Exception {
    try (Durable engine = node()) {
      engine.schedule("s", EACH_SECOND, UTC, "stay", "");
      String run = running(engine);
      Instant after = tick(run).plusSeconds(2);
      while (engine.provider().now().isBefore(after)) {
        LockSupport.parkNanos(10_000_000);
      }
      engine.raise(run, "go", "on");
      assertThat(engine.await(run, String.class, LONG)).isEqualTo("on");
      while (running(engine).equals(run)) {
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(tick(running(engine))).isAfter(after);
      assertThat(engine.schedules().getFirst().last().orElseThrow().instanceId()).isEqualTo(run);
      while (engine.provider().admin().children("schedule:s").size() < 2) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  /**
   * As after hours without any node: the plan is done with ticks up to a time that is long gone.
   */
  @Test
  void oneRunMakesUpForAllThatWasMissed() throws Exception {
    try (Durable engine = node();
        var runs = ran.observe()) {
      Instant now = engine.provider().now();
      Instant hour = now.truncatedTo(ChronoUnit.HOURS);
      DispatcherPool.start(
          engine.provider(),
          ScheduleWorkflow.NAME,
          "schedule:s",
          new ScheduleWorkflow.SchedulePlan(
              EACH_HOUR, "UTC", "tick", Json.tree("late"), hour.minusSeconds(7201), null),
          Optional.empty());
      assertThat(runs.await(LONG)).isEqualTo("s@" + hour.minusSeconds(7200) + " late");
      while (engine.schedules().isEmpty() || engine.schedules().getFirst().last().isEmpty()) {
        LockSupport.parkNanos(10_000_000);
      }
      Schedule schedule = engine.schedules().getFirst();
      assertThat(schedule.next().orElseThrow()).isAfter(now);
      assertThat(schedule.last().orElseThrow().error()).isEmpty();
      assertThat(engine.provider().admin().children("schedule:s")).hasSize(1);
    }
  }

  /** A run of microseconds leaves no trace of the time in which no node was there. */
  @Tag("nightly")
  @Test
  void oneRunMakesUpForAllThatWasMissedThoughItDoesNothing() throws Exception {
    Instant gone;
    try (Durable engine = node();
        var runs = ran.observe()) {
      engine.schedule("s", EACH_SECOND, UTC, "tick", "tock");
      String _ = runs.await(LONG);
      engine.schedule("s", EACH_SECOND, UTC, "pure", "nothing");
      gone = engine.provider().now();
    }
    try (Durable client = Durable.on(url).connect()) {
      while (client.provider().now().isBefore(gone.plusSeconds(4))) {
        LockSupport.parkNanos(10_000_000);
      }
    }
    try (Durable engine = node()) {
      Instant back = engine.provider().now();
      List<Instant> ticks = List.of();
      while (ticks.isEmpty() || ticks.getLast().isBefore(back.plusSeconds(1))) {
        ticks =
            engine.provider().admin().children("schedule:s").stream()
                .map(ScheduleTest::tick)
                .sorted()
                .toList();
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(ticks)
          .filteredOn(tick -> tick.isAfter(gone.plusMillis(200)) && tick.isBefore(back))
          .hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void aScheduleCanBeChangedAndIsLeftAloneIfItIsTheSame() throws Exception {
    try (Durable engine = node();
        var runs = ran.observe()) {
      engine.schedule("s", EACH_HOUR, UTC, "tick", "old");
      while (engine.schedules().isEmpty()) {
        LockSupport.parkNanos(10_000_000);
      }
      Schedule before = engine.schedules().getFirst();
      engine.schedule("s", EACH_HOUR, UTC, "tick", "old");
      while (engine.instance("schedule:s").orElseThrow().executionId() == 1) {
        LockSupport.parkNanos(10_000_000);
      }
      await(() -> !engine.schedules().isEmpty() && engine.schedules().getFirst().equals(before));
      engine.schedule("s", EACH_SECOND, ZoneId.of("Europe/Berlin"), "tick", "new");
      assertThat(runs.await(LONG)).endsWith(" new");
      Schedule schedule = engine.schedules().getFirst();
      assertThat(schedule.cron()).isEqualTo(EACH_SECOND);
      assertThat(schedule.zone()).isEqualTo(ZoneId.of("Europe/Berlin"));
    }
  }

  @Tag("nightly")
  @Test
  void aJobIsEnqueuedAtEachTickUnlessThatOfAnEarlierTickIsOpen() throws Exception {
    Semaphore mayEnd = new Semaphore(0);
    try (Durable engine =
            Durable.on(url)
                .job(
                    "report",
                    String.class,
                    (context, what) -> {
                      ran.emit(what);
                      mayEnd.acquire();
                    })
                .start();
        var runs = ran.observe()) {
      engine.scheduleJob("s", EACH_SECOND, UTC, "report", "tock");
      assertThat(runs.await(LONG)).isEqualTo("tock");
      Instant first = engine.provider().now();
      await(
          () ->
              engine
                  .schedules()
                  .getFirst()
                  .last()
                  .filter(run -> run.endedAt().isAfter(first.plusSeconds(2)))
                  .isPresent());
      JobQuery open = JobQuery.newest(10).named("report").tagged("schedule:s");
      assertThat(engine.jobs(open)).as("two ticks went by").hasSize(1);
      mayEnd.release(100);
      assertThat(runs.await(LONG)).as("the next tick after its end").isEqualTo("tock");
      Schedule schedule = engine.schedules().getFirst();
      assertThat(schedule.kind()).isEqualTo(Schedule.ScheduledKind.JOB);
      assertThat(schedule.name()).isEqualTo("report");
      assertThat(schedule.input()).isEqualTo(Json.tree("tock"));
      assertThat(engine.unschedule("s")).isTrue();
      await(() -> engine.schedules().isEmpty() && engine.jobs(open).isEmpty());
    }
  }

  @Test
  void aJobThatCannotBeEnqueuedIsNotScheduled() {
    try (Durable engine = Durable.on(url).connect()) {
      assertThatThrownBy(() -> engine.scheduleJob("s", EACH_HOUR, UTC, " ", 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> engine.scheduleJob("s".repeat(192), EACH_HOUR, UTC, "report", 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> engine.scheduleJob("s", "0 0 30 2", UTC, "report", 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(engine.schedules()).isEmpty();
    }
  }

  @Test
  void aRunThatFailsIsShownAndTheNextOneComes() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "fail",
                String.class,
                (context, what) -> {
                  throw new IllegalStateException("no luck");
                })
            .start()) {
      engine.schedule("s", EACH_SECOND, UTC, "fail", "");
      while (engine.schedules().stream().noneMatch(it -> it.last().isPresent())) {
        LockSupport.parkNanos(10_000_000);
      }
      Schedule.ScheduledRun last = engine.schedules().getFirst().last().orElseThrow();
      assertThat(last.error()).contains("no luck");
      while (engine.provider().admin().children("schedule:s").size() < 2) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  @Test
  void aScheduleRemovedDuringARunStartsNoOther() throws Exception {
    try (Durable engine = node()) {
      engine.schedule("s", EACH_SECOND, UTC, "stay", "");
      String run = running(engine);
      assertThat(engine.unschedule("s")).isTrue();
      await(() -> engine.schedules().isEmpty());
      await(() -> engine.instance(run).isPresent());
      engine.raise(run, "go", "on");
      assertThat(engine.await(run, String.class, LONG)).isEqualTo("on");
      assertThat(engine.provider().admin().children("schedule:s")).containsExactly(run);
    }
  }

  /** No node has seen it yet. */
  @Test
  void aScheduleIsChangedAndRemovedBeforeItsFirstTurn() throws Exception {
    try (Durable client = Durable.on(url).connect()) {
      client.schedule("s", EACH_HOUR, UTC, "tick", "tock");
      client.schedule("t", EACH_HOUR, UTC, "tick", "hour");
      client.schedule("t", EACH_SECOND, UTC, "tick", "second");
      assertThat(client.unschedule("s")).isTrue();
    }
    try (Durable engine = node();
        var runs = ran.observe()) {
      assertThat(runs.await(LONG)).endsWith("second");
      ScheduleWorkflow.ScheduleStatus status = shown(engine);
      while (!status.plan().off()) {
        LockSupport.parkNanos(10_000_000);
        status = shown(engine);
      }
      assertThat(engine.provider().admin().children("schedule:s")).isEmpty();
      assertThat(engine.unschedule("s")).isFalse();
    }
  }

  private static ScheduleWorkflow.ScheduleStatus shown(Durable engine) {
    while (true) {
      Optional<String> status =
          engine.provider().admin().instance("schedule:s").flatMap(InstanceInfo::customStatus);
      if (status.isPresent()) {
        return ScheduleWorkflow.ScheduleStatus.read(status.get());
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** A schedule's workflow can be cancelled like any other; scheduling it again starts it again. */
  @Test
  void aCancelledScheduleCanBeCreatedAgain() throws Exception {
    try (Durable engine = node();
        var runs = ran.observe()) {
      engine.schedule("s", EACH_HOUR, UTC, "tick", "old");
      await(() -> !engine.schedules().isEmpty());
      engine.cancel("schedule:s", "by mistake");
      await(() -> engine.schedules().isEmpty());
      engine.schedule("s", EACH_SECOND, UTC, "tick", "new");
      assertThat(runs.await(LONG)).endsWith(" new");
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  void anInvalidScheduleIsRefusedBeforeAnythingIsWritten() {
    try (Durable engine = node()) {
      assertThatThrownBy(() -> engine.schedule("s", "at noon", UTC, "tick", ""))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("not a cron expression: \"at noon\"");
      assertThat(engine.instance("schedule:s")).isEmpty();
    }
  }

  private static String running(Durable engine) {
    long end = System.nanoTime() + LONG.toNanos();
    while (System.nanoTime() < end) {
      for (Schedule schedule : engine.schedules()) {
        if (schedule.running().isPresent()) {
          return schedule.running().get();
        }
      }
      LockSupport.parkNanos(10_000_000);
    }
    throw new AssertionError("nothing runs");
  }

  private static Instant tick(String run) {
    return Instant.parse(run.substring(run.indexOf('@') + 1).replaceFirst(" .*", ""));
  }
}

package io.convoke.chaos.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The tasks that are requested after the storm, when nothing delays what is judged. */
final class CalmTasks {
  /** So brief that most of several begin before they have waited long. */
  private static final Duration BRIEF = Duration.ofMillis(400);

  /**
   * Until tasks of a line have come back into an emptied Redis, the slots of their region stay
   * taken.
   */
  private static final Duration WHILE_EMPTIED = Duration.ofMillis(2500);

  /** Longer than the overflow time, and what pods may need to settle and to claim a task. */
  private static final Duration WHILE_BUSY = Duration.ofSeconds(12);

  /**
   * Work of a task that a server without Redis is asked to stop a second after its begin: that
   * waits two seconds for Redis, writes the stop, and waits as long again before it tells others.
   * In between the first attempt ends and the next begins.
   */
  private static final Duration BEGINS_AGAIN = Duration.ofMillis(3300);

  /** Work of a task that is stopped while Redis is away, and hears of it when Redis is compared. */
  private static final Duration UNTIL_STOPPED = Duration.ofSeconds(30);

  /** Work of tasks whose pod is stopped once they run: less than its drain, and more. */
  private static final Duration IN_TIME = Duration.ofMillis(1200);

  private static final Duration TOO_LONG = Duration.ofSeconds(8);

  /** Work of a task whose pod hangs meanwhile. */
  private static final Duration HANG_ENDS = Duration.ofSeconds(6);

  /** The same, of one whose pod has lost it when it comes back. */
  private static final Duration OUTLASTS = Duration.ofSeconds(14);

  /** Work of a task that ends while a store is away. */
  private static final Duration ENDS_AFTER = Duration.ofSeconds(2);

  private CalmTasks() {}

  /**
   * Tasks of a region that wait for its slots, while Redis is emptied and pods of other regions are
   * free; empty for two seeds of three.
   */
  static List<PlannedTask> whileEmptied(long seed) {
    return seed % 3 == 1
        ? DispatchPlanner.line(
            "emptied" + seed, Duration.ZERO, DispatchRunConfig.REGIONS.get(1), WHILE_EMPTIED)
        : List.of();
  }

  /**
   * Tasks that take all slots of a region for longer than the last of them wait for it; empty for
   * two seeds of three.
   */
  static List<PlannedTask> inABusyRegion(long seed) {
    return seed % 3 == 2
        ? DispatchPlanner.line(
            "busy" + seed, Duration.ZERO, DispatchRunConfig.REGIONS.getLast(), WHILE_BUSY)
        : List.of();
  }

  /** So many tasks of each region. */
  static List<PlannedTask> inAllRegions(long seed, String name, int number) {
    return DispatchRunConfig.REGIONS.stream()
        .flatMap(
            region ->
                DispatchPlanner.line(name + seed + region, Duration.ZERO, region, BRIEF, number)
                    .stream())
        .toList();
  }

  /** Tasks of no region that come when all regions have others. */
  static List<PlannedTask> withoutRegion(long seed) {
    TaskFaultPlan runs =
        new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, DispatchPlanner.ASKED_WORK, 0);
    return IntStream.range(0, 2)
        .mapToObj(i -> afterStorm("global" + seed + "-" + i, runs))
        .toList();
  }

  /** A task that no pod takes, and whose time goes on while Redis is emptied. */
  static List<PlannedTask> waitsWhileEmptied(long seed) {
    return seed % 3 == 1
        ? List.of(
            DispatchPlanner.extra(
                "forgotten" + seed,
                Duration.ZERO,
                DispatchPlanner.UNTAKEN,
                Optional.empty(),
                DispatchPlanner.NONE,
                List.of()))
        : List.of();
  }

  /**
   * A task whose pod hangs until another has it, and comes back while its program would still run;
   * none for two seeds of three.
   */
  static List<PlannedTask> ofAPodThatLosesItsLease(long seed) {
    TaskFaultPlan runs = new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, OUTLASTS, 0);
    return seed % 3 == 1 ? List.of(afterStorm("lost" + seed, runs)) : List.of();
  }

  /** A task whose pod hangs for less than its lease; none for two seeds of three. */
  static List<PlannedTask> ofAPodThatHangs(long seed) {
    TaskFaultPlan runs = new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, HANG_ENDS, 0);
    return seed % 3 == 2 ? List.of(afterStorm("kept" + seed, runs)) : List.of();
  }

  /** Tasks that end while a store is away after the storm; none for two seeds of three. */
  static List<PlannedTask> endInAnOutage(long seed, String store) {
    TaskFaultPlan ends = new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, ENDS_AFTER, 0);
    return seed % 3 == 0
        ? IntStream.range(0, 2)
            .mapToObj(i -> afterStorm("ends-" + store + seed + "-" + i, ends))
            .toList()
        : List.of();
  }

  /**
   * A task that a server without Redis is asked to stop after the storm, while it is tried again;
   * none for two seeds of three. It fails if it is not stopped.
   */
  static Optional<PlannedTask> stoppedWithoutRedis(long seed) {
    TaskFaultPlan again = new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.FAILS, BEGINS_AGAIN, 1);
    return seed % 3 == 0 ? Optional.of(afterStorm("unheard" + seed, again)) : Optional.empty();
  }

  /** A task that begins in the time that Redis loses, and is stopped before Redis is back. */
  static PlannedTask stoppedWhileForgotten(long seed) {
    return afterStorm(
        "begun" + seed, new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.FAILS, UNTIL_STOPPED, 0));
  }

  /**
   * A task that ends before a pod that is stopped returns its tasks, between two that do not: that
   * of a handler, and that of a program. The pods are stopped soon after it begins.
   */
  static List<PlannedTask> duringAnUpgrade(long seed) {
    return List.of(
        duringAnUpgrade(seed, HandlerPod.TYPE, TOO_LONG),
        duringAnUpgrade(seed, DispatchPlanner.TYPES.getFirst(), IN_TIME),
        duringAnUpgrade(seed, DispatchPlanner.TYPES.getFirst(), TOO_LONG));
  }

  private static PlannedTask duringAnUpgrade(long seed, String type, Duration work) {
    return DispatchPlanner.extra(
        "upgrade" + seed + "-" + type + "-" + work.toMillis(),
        Duration.ZERO,
        type,
        Optional.of(DispatchRunConfig.REGIONS.getFirst()),
        new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, work, 0),
        List.of());
  }

  private static PlannedTask afterStorm(String name, TaskFaultPlan end) {
    return DispatchPlanner.extra(
        name, Duration.ZERO, DispatchPlanner.TYPES.getFirst(), Optional.empty(), end, List.of());
  }

  /** A task that asks for another try more often than it is given; none for two seeds of three. */
  static List<PlannedTask> withoutSuccess(long seed) {
    return seed % 3 == 0 ? List.of(asksAgain("again" + seed)) : List.of();
  }

  /** The same, while Redis is emptied. */
  static Optional<PlannedTask> failsWhileEmptied(long seed) {
    return seed % 3 == 1 ? Optional.of(asksAgain("fails" + seed)) : Optional.empty();
  }

  private static PlannedTask asksAgain(String name) {
    return afterStorm(
        name,
        new TaskFaultPlan(
            TaskFaultPlan.TaskFaultKind.SUCCEEDS,
            DispatchPlanner.ASKED_WORK,
            DispatchRunConfig.ATTEMPTS + 3));
  }

  /** Tasks of a channel that wait for slots, and then one of another channel, whose turn it is. */
  static List<PlannedTask> inTurn(long seed) {
    List<PlannedTask> tasks =
        new ArrayList<>(
            DispatchPlanner.line(
                "turns" + seed,
                Duration.ZERO,
                DispatchRunConfig.REGIONS.getFirst(),
                DispatchPlanner.IN_LINE));
    tasks.add(tasks.getFirst().inChannel("req-turn" + seed, "turn"));
    return List.copyOf(tasks);
  }
}

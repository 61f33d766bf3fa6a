package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanDraw;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Makes the plan of a seed. Deterministic for a seed and settings. */
final class DispatchPlanner {
  /** Mean interval between tasks. */
  private static final Duration BETWEEN_ORDERS = Duration.ofMillis(110);

  /** Mean intervals between kills of pods, and of servers. */
  private static final Duration BETWEEN_POD_KILLS = Duration.ofSeconds(3);

  private static final Duration BETWEEN_SERVER_KILLS = Duration.ofSeconds(6);
  static final List<String> TYPES = List.of("record", "snapshot", HandlerPod.TYPE);

  /** No pod takes tasks of this type, if pods take types. */
  static final String UNTAKEN = "untaken";

  static final TaskFaultPlan NONE =
      new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.NEVER_BEGINS, Duration.ZERO, 0);

  private static final int CHANNELS = 12;
  private static final int LONG_TASKS = 4;
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final int ASKERS = 4;
  static final Duration ASKED_WORK = Duration.ofMillis(100);

  /** Long enough for a drained pod to be offered tasks, had it not been drained. */
  private static final Duration DRAINED = Duration.ofMillis(2500);

  /** From the drain of a pod until it has heard of it, and Redis forgets it. */
  private static final Duration BEFORE_FORGETTING = Duration.ofMillis(1300);

  /** A drain ends so long after the begin of the second that Redis loses. */
  private static final Duration RESUMED_AFTER = Duration.ofMillis(500);

  /** A task is requested so long before the second drain that it runs then. */
  private static final Duration BEFORE_STOP = Duration.ofMillis(2500);

  /** From the begin of an outage of Redis until a stop during it. */
  private static final Duration AFTER_FORGETTING = Duration.ofMillis(700);

  /** The region whose pods are cut off from Redis in one seed of three. */
  private static final int CUT_OFF = 1;

  /** Longer than a lease, and what the end of a program takes. */
  private static final Duration CUT_OFF_FOR = Duration.ofSeconds(12);

  /** After its pod was cut off, before others take its tasks. */
  private static final Duration STOPPED_WHILE_CUT_OFF = Duration.ofMillis(2500);

  private static final Duration RUNS_BEFORE = Duration.ofMillis(300);
  private static final Duration BEFORE_CUT = Duration.ofMillis(1200);

  private static final int LINE = 7;

  static final Duration IN_LINE = Duration.ofMillis(1500);

  /** Work of a task that is to run until it is stopped. */
  private static final Duration LONG_STOPPED = Duration.ofSeconds(30);

  /** How long such a drain lasts: it must hold once Redis is compared with the task table. */
  private static final Duration DRAINED_LONGER = Duration.ofSeconds(5);

  /** Postgres hangs so much longer than until the kill of a server in the middle of a write. */
  private static final Duration AFTER_KILL = Duration.ofMillis(200);

  private final SplittableRandom random;
  private final PlanDraw draw;
  private final long seed;
  private final ChaosSettings settings;
  private final Duration faultPhase;
  private final int servers;
  private final int pods;

  /** Tasks that are requested of one server shortly before it dies. */
  private final List<PlannedTask> asked = new ArrayList<>();

  private DispatchPlanner(long seed, ChaosSettings settings) {
    this.random = new SplittableRandom(seed);
    this.draw = new PlanDraw(random, settings.faultPhase());
    this.seed = seed;
    this.settings = settings;
    this.faultPhase = settings.faultPhase();
    this.servers = settings.servers();
    this.pods =
        settings.servers() == 1
            ? DispatchRunConfig.REGIONS.size()
            : 2 * DispatchRunConfig.REGIONS.size();
  }

  static DispatchPlan plan(long seed, ChaosSettings settings) {
    return new DispatchPlanner(seed, settings).plan();
  }

  private DispatchPlan plan() {
    List<PlannedTask> orders = new ArrayList<>(orders());
    Map<String, Duration> clocks = clocks();
    List<DispatchFault> faults = faults();
    orders.addAll(asked);
    orders.sort(Comparator.comparing(PlannedTask::at));
    return new DispatchPlan(seed, servers, pods, clocks, List.copyOf(orders), faults);
  }

  private List<PlannedTask> orders() {
    List<PlannedTask> orders = new ArrayList<>();
    int number = Math.toIntExact(faultPhase.dividedBy(BETWEEN_ORDERS));
    for (int i = 0; i < number; i++) {
      orders.add(order("t" + seed + "-" + i));
    }
    orders.addAll(longTasks());
    orders.addAll(stopsDuringDrains());
    if (seed % 3 == 0) {
      orders.addAll(whileCutOff());
    }
    String region = DispatchRunConfig.REGIONS.getLast();
    orders.addAll(line("line" + seed, faultPhase.dividedBy(10), region, IN_LINE));
    if (DispatchRunConfig.typed(seed)) {
      orders.addAll(untaken());
    }
    return orders;
  }

  /**
   * A task that runs and is stopped after the second drain has begun: while Redis is away, if it
   * is; and one that waits.
   */
  private List<PlannedTask> stopsDuringDrains() {
    Duration at = faultPhase.dividedBy(2).minus(BEFORE_STOP);
    Duration stop = BEFORE_STOP.plus(BEFORE_FORGETTING).plus(AFTER_FORGETTING);
    TaskFaultPlan runs = new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.FAILS, LONG_STOPPED, 0);
    List<PlannedTask> tasks = new ArrayList<>();
    tasks.add(extra("stopped" + seed, at, TYPES.getFirst(), Optional.empty(), runs, List.of(stop)));
    if (DispatchRunConfig.typed(seed)) {
      tasks.add(extra("waits" + seed, at, UNTAKEN, Optional.empty(), NONE, List.of(stop)));
    }
    return tasks;
  }

  /**
   * Tasks whose pods lose Redis for longer than their lease: one is stopped in the end, one before
   * the lease ends.
   */
  private List<PlannedTask> whileCutOff() {
    TaskFaultPlan runs = new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, LONG_STOPPED, 0);
    return Stream.of(CUT_OFF_FOR, STOPPED_WHILE_CUT_OFF)
        .map(
            stop ->
                extra(
                    "cut" + seed + "-" + stop.toMillis(),
                    RUNS_BEFORE,
                    TYPES.getFirst(),
                    Optional.of(DispatchRunConfig.REGIONS.get(CUT_OFF)),
                    runs,
                    List.of(stop)))
        .toList();
  }

  /** More tasks of one channel and region than that has slots for, one after the other. */
  static List<PlannedTask> line(String name, Duration begin, String region, Duration work) {
    return line(name, begin, region, work, LINE);
  }

  static List<PlannedTask> line(
      String name, Duration begin, String region, Duration work, int number) {
    TaskFaultPlan runs = new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, work, 0);
    return IntStream.range(0, number)
        .mapToObj(
            i ->
                extra(
                    name + "-" + i,
                    begin.plusMillis(200L * i),
                    TYPES.getFirst(),
                    Optional.of(region),
                    runs,
                    List.of()))
        .toList();
  }

  /** Tasks of a type that no pod takes: they wait until they time out. */
  private List<PlannedTask> untaken() {
    Duration at = faultPhase.dividedBy(4);
    String region = DispatchRunConfig.REGIONS.getFirst();
    return List.of(
        extra("untaken" + seed + "-0", at, UNTAKEN, Optional.empty(), NONE, List.of()),
        extra("untaken" + seed + "-1", at, UNTAKEN, Optional.of(region), NONE, List.of()));
  }

  static PlannedTask extra(
      String name,
      Duration at,
      String type,
      Optional<String> region,
      TaskFaultPlan end,
      List<Duration> stops) {
    return new PlannedTask(
        at,
        "req-" + name,
        Optional.empty(),
        type,
        "extra",
        region,
        false,
        end,
        true,
        0,
        stops,
        Optional.empty());
  }

  /**
   * Tasks whose programs outlast what may happen to their pods. Drawn apart, so that a seed's other
   * tasks and faults stay as they were.
   */
  private List<PlannedTask> longTasks() {
    SplittableRandom own = new SplittableRandom(seed + 1_000_003);
    return IntStream.range(0, LONG_TASKS)
        .mapToObj(
            i ->
                new PlannedTask(
                    Duration.ofMillis(own.nextLong(faultPhase.toMillis() / 3)),
                    "req-long" + seed + "-" + i,
                    Optional.empty(),
                    TYPES.getFirst(),
                    "long",
                    Optional.of(
                        DispatchRunConfig.REGIONS.get(i % DispatchRunConfig.REGIONS.size())),
                    false,
                    new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, LONG, 0),
                    true,
                    0,
                    i % 2 == 0 ? List.of(Duration.ofMillis(own.nextInt(1000, 3000))) : List.of(),
                    Optional.empty()))
        .toList();
  }

  private PlannedTask order(String name) {
    Optional<String> region =
        random.nextInt(3) == 0
            ? Optional.empty()
            : Optional.of(
                DispatchRunConfig.REGIONS.get(random.nextInt(DispatchRunConfig.REGIONS.size())));
    return new PlannedTask(
        draw.share(0, 0.95),
        "req-" + name,
        random.nextInt(2) == 0 ? Optional.of(name) : Optional.empty(),
        TYPES.get(random.nextInt(TYPES.size())),
        "room-" + random.nextInt(CHANNELS),
        region,
        random.nextInt(5) == 0,
        faultPlan(),
        random.nextInt(4) > 0,
        random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0,
        stops(),
        Optional.empty());
  }

  private TaskFaultPlan faultPlan() {
    return switch (random.nextInt(16)) {
      case 0, 1 -> new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.FAILS, draw.millis(20, 800), 0);
      case 2, 3 ->
          new TaskFaultPlan(
              TaskFaultPlan.TaskFaultKind.SUCCEEDS, draw.millis(20, 500), 1 + random.nextInt(2));
      case 4 ->
          new TaskFaultPlan(
              TaskFaultPlan.TaskFaultKind.SUCCEEDS,
              draw.millis(20, 200),
              DispatchRunConfig.ATTEMPTS);
      case 5, 6, 7 ->
          new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, draw.millis(2000, 7000), 0);
      case 8 -> new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.DEAF, draw.millis(500, 4000), 0);
      default -> new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, draw.millis(20, 900), 0);
    };
  }

  /** One in four is stopped: at once, while queued or running, long after its end, or twice. */
  private List<Duration> stops() {
    List<Duration> stops = new ArrayList<>();
    if (random.nextInt(4) == 0) {
      stops.add(random.nextInt(3) == 0 ? draw.millis(0, 60) : draw.millis(0, 5000));
      if (random.nextInt(4) == 0) {
        stops.add(stops.getFirst().plus(draw.millis(0, 500)));
      }
    }
    return List.copyOf(stops);
  }

  /** In every second seed one process' clock is 5 s ahead, and another's 5 s behind. */
  private Map<String, Duration> clocks() {
    Map<String, Duration> clocks = new TreeMap<>();
    if (random.nextInt(2) == 0) {
      clocks.put("pod-" + random.nextInt(pods), skew());
      clocks.put("server-" + random.nextInt(servers), skew());
    }
    return clocks;
  }

  private Duration skew() {
    return random.nextBoolean() ? DispatchRunConfig.SKEW : DispatchRunConfig.SKEW.negated();
  }

  private List<DispatchFault> faults() {
    List<DispatchFault> steps = new ArrayList<>();
    long podKills = Math.max(1, faultPhase.dividedBy(BETWEEN_POD_KILLS));
    for (int i = 0; i < podKills; i++) {
      Duration at = draw.share(0.05, 0.95);
      steps.add(
          switch (random.nextInt(4)) {
            case 0 -> new DispatchFault.KillPodAtPoint(at, "begin", draw.millis(100, 1500));
            case 1 -> new DispatchFault.KillPodAtPoint(at, "end", draw.millis(100, 1500));
            default ->
                onPods(
                    new Fault.KillServers(
                        at, List.of(random.nextInt(pods)), draw.millis(100, 1500)));
          });
    }
    long serverKills = Math.max(1, faultPhase.dividedBy(BETWEEN_SERVER_KILLS));
    for (int i = 0; i < serverKills; i++) {
      Duration at = draw.share(0.05, 0.9);
      int server = random.nextInt(servers);
      boolean busy = !random.nextBoolean();
      Duration asked = busy ? draw.millis(0, 25) : Duration.ZERO;
      if (busy) {
        ask(at, server, i);
      }
      steps.add(onServers(kill(at.plus(asked), server, draw.millis(100, 1500))));
    }
    if (random.nextInt(2) == 0) {
      Duration span = random.nextBoolean() ? DispatchRunConfig.HANGING : draw.millis(3500, 5000);
      steps.add(onPods(new Fault.HangServer(draw.share(0.05, 0.5), random.nextInt(pods), span)));
    }
    if (servers > 1 && random.nextInt(3) == 0) {
      steps.add(
          onServers(
              new Fault.HangServer(
                  draw.share(0.05, 0.5), random.nextInt(servers), DispatchRunConfig.HANGING)));
    }
    redis().map(DispatchPlanner::onServers).ifPresent(steps::add);
    if (random.nextInt(3) == 0) {
      steps.add(onPods(silent(draw.share(0.1, 0.7), random.nextInt(pods))));
    }
    if (random.nextInt(5) == 0) {
      steps.add(onServers(silent(draw.share(0.1, 0.7), random.nextInt(servers))));
    }
    if (random.nextInt(2) == 0) {
      steps.add(new DispatchFault.DelayNextPod(draw.share(0.05, 0.7), draw.millis(3500, 8000)));
    }
    for (int echoes = random.nextInt(4); echoes > 0; echoes--) {
      Duration moment = draw.millis(100, 900);
      steps.add(
          new DispatchFault.ReplayNextPod(
              draw.share(0.05, 0.8), moment, moment.plus(draw.millis(100, 900))));
    }
    if (random.nextInt(3) == 0) {
      // It dies in the middle of its writes.
      Duration at = draw.share(0.1, 0.9);
      int server = random.nextInt(servers);
      Duration hanging = draw.millis(100, 900);
      steps.add(
          onServers(
              new Fault.PostgresAway(at, Fault.StoreFailure.HANGS, hanging.plus(AFTER_KILL))));
      steps.add(onServers(kill(at.plus(hanging), server, draw.millis(100, 1500))));
    }
    for (int drains = random.nextInt(3); drains > 0; drains--) {
      steps.add(
          new DispatchFault.DrainPod(
              draw.share(0.05, 0.8), random.nextInt(pods), draw.millis(500, 6000)));
    }
    steps.addAll(drains());
    settings.added(seed).forEach(fault -> steps.add(onServers(fault)));
    steps.sort(Comparator.comparing(DispatchFault::at));
    return List.copyOf(steps);
  }

  /**
   * Two pods, one after the other; during the second drain Redis is away, loses everything, or its
   * last second with the end of the first drain: each in one seed of three. Drawn apart, so that a
   * seed's other tasks and faults stay as they were.
   */
  private List<DispatchFault> drains() {
    int first = drainedFirst();
    Duration half = faultPhase.dividedBy(2);
    Duration at = lossAt();
    List<DispatchFault> steps = new ArrayList<>();
    Duration firstAt =
        seed % 3 == 2 ? at.minus(DRAINED).plus(RESUMED_AFTER) : faultPhase.dividedBy(5);
    steps.add(new DispatchFault.DrainPod(firstAt, first, DRAINED));
    steps.add(
        new DispatchFault.DrainPod(
            half, (first + 1) % pods, seed % 3 == 0 ? DRAINED : DRAINED_LONGER));
    if (seed % 3 == 0) {
      steps.add(
          onServers(new Fault.RedisAway(at, Fault.StoreFailure.IS_KILLED, Duration.ofSeconds(2))));
      Duration cut = RUNS_BEFORE.plus(BEFORE_CUT);
      for (int pod = CUT_OFF; pod < pods; pod += DispatchRunConfig.REGIONS.size()) {
        steps.add(onPods(new Fault.CutOff(cut, pod, Fault.Store.REDIS, CUT_OFF_FOR)));
      }
    } else if (seed % 3 == 1) {
      steps.add(onServers(new Fault.FlushRedis(at)));
      steps.add(
          onServers(
              Fault.PostgresAway.untilCallsAreRefused(faultPhase.multipliedBy(4).dividedBy(5))));
    } else {
      steps.add(
          onServers(new Fault.LoseLastWrites(at, Duration.ofSeconds(1), Duration.ofMillis(300))));
    }
    return List.copyOf(steps);
  }

  private int drainedFirst() {
    return new SplittableRandom(seed + 2_000_003).nextInt(pods);
  }

  private Duration lossAt() {
    return faultPhase.dividedBy(2).plus(BEFORE_FORGETTING);
  }

  /** Several requests at once to a server that is about to die; half go on to other servers. */
  private void ask(Duration at, int server, int kill) {
    for (int i = 0; i < ASKERS; i++) {
      String request = "req-t%d-asked-%d-%d".formatted(seed, kill, i);
      asked.add(PlannedTask.plain(at, request, ASKED_WORK, i % 2 == 0, Optional.of(server)));
    }
  }

  /** Two seeds of three have a Redis fault. */
  private Optional<Fault> redis() {
    Duration at = draw.share(0.2, 0.85);
    return switch (random.nextInt(12)) {
      case 0, 1 ->
          Optional.of(
              new Fault.RedisAway(at, Fault.StoreFailure.IS_KILLED, draw.millis(100, 2000)));
      case 2, 3 -> Optional.of(new Fault.FlushRedis(at));
      case 4, 5 -> Optional.of(new Fault.CutRedis(at));
      case 6, 7 ->
          Optional.of(new Fault.LoseLastWrites(at, draw.millis(100, 1000), draw.millis(100, 1000)));
      default -> Optional.empty();
    };
  }

  private static Fault kill(Duration at, int server, Duration down) {
    return new Fault.KillServers(at, List.of(server), down);
  }

  private static Fault silent(Duration at, int program) {
    return new Fault.SilentNetwork(at, program, Fault.Store.REDIS);
  }

  private static DispatchFault onServers(Fault fault) {
    return new DispatchFault.OnServers(fault);
  }

  private static DispatchFault onPods(Fault fault) {
    return new DispatchFault.OnPods(fault);
  }
}

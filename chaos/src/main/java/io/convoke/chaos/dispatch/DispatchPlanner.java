package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Makes the plan of a seed: the same seed and settings, the same plan. */
final class DispatchPlanner {
  /** Tasks are wanted this often on average. */
  private static final Duration BETWEEN_ORDERS = Duration.ofMillis(110);

  /** A pod dies this often on average, and a server. */
  private static final Duration BETWEEN_POD_KILLS = Duration.ofSeconds(3);

  private static final Duration BETWEEN_SERVER_KILLS = Duration.ofSeconds(6);
  private static final List<String> TYPES = List.of("record", "snapshot", "caption");
  private static final int CHANNELS = 12;

  private final SplittableRandom random;
  private final long seed;
  private final Duration storm;
  private final int servers;
  private final int pods;

  private DispatchPlanner(long seed, ChaosSettings settings) {
    this.random = new SplittableRandom(seed);
    this.seed = seed;
    this.storm = settings.storm();
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
    List<PlannedTask> orders = orders();
    return new DispatchPlan(seed, servers, pods, clocks(), orders, disturbances());
  }

  private List<PlannedTask> orders() {
    List<PlannedTask> orders = new ArrayList<>();
    int number = Math.toIntExact(storm.dividedBy(BETWEEN_ORDERS));
    for (int i = 0; i < number; i++) {
      orders.add(order("t" + seed + "-" + i));
    }
    orders.sort(Comparator.comparing(PlannedTask::at));
    return List.copyOf(orders);
  }

  private PlannedTask order(String name) {
    Optional<String> region =
        random.nextInt(3) == 0
            ? Optional.empty()
            : Optional.of(
                DispatchRunConfig.REGIONS.get(random.nextInt(DispatchRunConfig.REGIONS.size())));
    return new PlannedTask(
        share(0, 0.95),
        "req-" + name,
        random.nextInt(2) == 0 ? Optional.of(name) : Optional.empty(),
        TYPES.get(random.nextInt(TYPES.size())),
        "room-" + random.nextInt(CHANNELS),
        region,
        random.nextInt(5) == 0,
        fate(),
        random.nextInt(4) > 0,
        random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0,
        stops());
  }

  private TaskFaultPlan fate() {
    return switch (random.nextInt(16)) {
      case 0, 1 -> new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.FAILS, millis(20, 800), 0);
      case 2, 3 ->
          new TaskFaultPlan(
              TaskFaultPlan.TaskFaultKind.SUCCEEDS, millis(20, 500), 1 + random.nextInt(2));
      case 4 ->
          new TaskFaultPlan(
              TaskFaultPlan.TaskFaultKind.SUCCEEDS, millis(20, 200), DispatchRunConfig.ATTEMPTS);
      case 5, 6, 7 ->
          new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, millis(2000, 7000), 0);
      case 8 -> new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.DEAF, millis(500, 4000), 0);
      default -> new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, millis(20, 900), 0);
    };
  }

  /**
   * One in four is to stop: at once, while it waits or runs, or long after it has ended; or twice.
   */
  private List<Duration> stops() {
    List<Duration> stops = new ArrayList<>();
    if (random.nextInt(4) == 0) {
      stops.add(random.nextInt(3) == 0 ? millis(0, 60) : millis(0, 5000));
      if (random.nextInt(4) == 0) {
        stops.add(stops.getFirst().plus(millis(0, 500)));
      }
    }
    return List.copyOf(stops);
  }

  /** In every second seed one process is 5 s ahead, and another 5 s behind. */
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

  private List<DispatchFault> disturbances() {
    List<DispatchFault> steps = new ArrayList<>();
    long podKills = Math.max(1, storm.dividedBy(BETWEEN_POD_KILLS));
    for (int i = 0; i < podKills; i++) {
      Duration at = share(0.05, 0.95);
      steps.add(
          switch (random.nextInt(4)) {
            case 0 -> new DispatchFault.KillPodAtPoint(at, "begin", millis(100, 1500));
            case 1 -> new DispatchFault.KillPodAtPoint(at, "end", millis(100, 1500));
            default -> new DispatchFault.KillPod(at, random.nextInt(pods), millis(100, 1500));
          });
    }
    long serverKills = Math.max(1, storm.dividedBy(BETWEEN_SERVER_KILLS));
    for (int i = 0; i < serverKills; i++) {
      Duration at = share(0.05, 0.9);
      int server = random.nextInt(servers);
      steps.add(
          random.nextBoolean()
              ? new DispatchFault.KillDispatchServer(at, server, millis(100, 1500))
              : new DispatchFault.KillServerAfterRequests(
                  at, server, millis(0, 25), millis(100, 1500)));
    }
    if (random.nextInt(2) == 0) {
      Duration span = random.nextBoolean() ? DispatchRunConfig.HANGING : millis(3500, 5000);
      steps.add(new DispatchFault.PausePod(share(0.05, 0.5), random.nextInt(pods), span));
    }
    if (servers > 1 && random.nextInt(3) == 0) {
      steps.add(
          new DispatchFault.PauseDispatchServer(
              share(0.05, 0.5), random.nextInt(servers), DispatchRunConfig.HANGING));
    }
    redis().ifPresent(steps::add);
    if (random.nextInt(3) == 0) {
      steps.add(new DispatchFault.BlackholePod(share(0.1, 0.7), random.nextInt(pods)));
    }
    if (random.nextInt(5) == 0) {
      steps.add(new DispatchFault.BlackholeServer(share(0.1, 0.7), random.nextInt(servers)));
    }
    if (random.nextInt(2) == 0) {
      steps.add(new DispatchFault.DelayNextPod(share(0.05, 0.7), millis(3500, 8000)));
    }
    for (int echoes = random.nextInt(4); echoes > 0; echoes--) {
      Duration moment = millis(100, 900);
      steps.add(
          new DispatchFault.ReplayNextPod(share(0.05, 0.8), moment, moment.plus(millis(100, 900))));
    }
    if (random.nextInt(3) == 0) {
      steps.add(
          new DispatchFault.KillServerWhileWriting(
              share(0.1, 0.9), random.nextInt(servers), millis(100, 900), millis(100, 1500)));
    }
    for (int drains = random.nextInt(3); drains > 0; drains--) {
      steps.add(
          new DispatchFault.DrainPod(share(0.05, 0.8), random.nextInt(pods), millis(500, 6000)));
    }
    steps.sort(Comparator.comparing(DispatchFault::at));
    return List.copyOf(steps);
  }

  /** In two seeds of three something happens to Redis. */
  private Optional<DispatchFault> redis() {
    Duration at = share(0.2, 0.85);
    return switch (random.nextInt(12)) {
      case 0, 1 -> Optional.of(new DispatchFault.KillRedis(at, millis(100, 2000)));
      case 2, 3 -> Optional.of(new DispatchFault.FlushRedisOfTasks(at));
      case 4, 5 -> Optional.of(new DispatchFault.CutRedisConnections(at));
      case 6, 7 ->
          Optional.of(new DispatchFault.LoseRedisWrites(at, millis(100, 1000), millis(100, 1000)));
      default -> Optional.empty();
    };
  }

  private Duration millis(int from, int to) {
    return Duration.ofMillis(random.nextInt(from, to));
  }

  private Duration share(double from, double to) {
    return Duration.ofMillis(Math.round(storm.toMillis() * random.nextDouble(from, to)));
  }
}

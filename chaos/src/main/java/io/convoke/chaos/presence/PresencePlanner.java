package io.convoke.chaos.presence;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanDraw;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** Makes the plan of a seed. Deterministic for a seed and settings. */
final class PresencePlanner {
  private static final int ROOMS = 4;

  /** Rooms that empty before the end of the storm, while events are still lost. */
  private static final int ENDING = 2;

  private static final int PEOPLE = 6;
  private static final double LOST = 0.3;

  private static final double FREQUENT = 0.3;

  /** Longer than a server waits for an answer of Redis. */
  private static final Duration HUNG = Duration.ofSeconds(4);

  /** An outage of Redis that is longer than what one webhook's delivery can bridge. */
  private static final Duration LONG = Duration.ofSeconds(8);

  /** Longer than the lease of an unresponsive node. */
  private static final Duration HANGING = Duration.ofMillis(7500);

  private final SplittableRandom random;
  private final PlanDraw draw;
  private final long seed;
  private final ChaosSettings settings;
  private final List<PresencePlanStep> steps = new ArrayList<>();

  private PresencePlanner(long seed, ChaosSettings settings) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.draw = new PlanDraw(random, settings.faultPhase());
    this.settings = settings;
  }

  static PresencePlan plan(long seed, ChaosSettings settings) {
    PresencePlanner planner = new PresencePlanner(seed, settings);
    List<String> rooms = new ArrayList<>();
    for (int i = 0; i < ROOMS; i++) {
      String room = "chaos-" + seed + "-" + i;
      rooms.add(room);
      planner.people(room, i < ENDING);
    }
    planner.steps.sort(Comparator.comparing(PresencePlanStep::at));
    return new PresencePlan(
        seed,
        rooms,
        List.copyOf(planner.steps),
        settings.faults(seed, planner.faults()),
        planner.simulatorFaults(),
        planner.apart(5).share(0.1, 0.3),
        planner.apart(4).share(0.4, 0.7),
        planner.random.nextInt(4) == 0);
  }

  /** All people join, leave and rejoin; rooms that end are empty at the end. */
  private void people(String room, boolean ends) {
    for (int i = 0; i < PEOPLE; i++) {
      String person = "person-" + i;
      Duration now = draw.share(0, 0.3);
      int open = 0;
      while (now.compareTo(settings.faultPhase().multipliedBy(85).dividedBy(100)) < 0) {
        if (open == 0 || (open == 1 && random.nextInt(5) == 0)) {
          steps.add(new PresencePlanStep.JoinRoom(now, room, person));
          open++;
        } else {
          steps.add(new PresencePlanStep.LeaveRoom(now, room, person));
          open--;
        }
        now = now.plus(pause());
      }
      for (; ends && open > 0; open--) {
        steps.add(new PresencePlanStep.LeaveRoom(draw.share(0.87, 1), room, person));
      }
    }
  }

  /** Usually seconds, sometimes a fraction of one. */
  private Duration pause() {
    return random.nextInt(4) == 0
        ? Duration.ofMillis(50 + random.nextInt(400))
        : Duration.ofMillis(500 + random.nextInt(4500));
  }

  private List<Fault> faults() {
    List<Fault> steps = new ArrayList<>();
    boolean hanging = settings.servers() > 1 && random.nextInt(3) > 0;
    int hung = random.nextInt(settings.servers());
    if (hanging) {
      steps.add(new Fault.HangServer(draw.share(0.05, 0.25), hung, HANGING));
    }
    int kills = 1 + random.nextInt(settings.servers());
    for (int i = 0; i < kills; i++) {
      // Do not kill a server while it hangs.
      int server = hanging ? (hung + 1) % settings.servers() : random.nextInt(settings.servers());
      steps.add(
          new Fault.KillServers(
              draw.share(0.25, 0.75),
              List.of(server),
              Duration.ofMillis(200 + random.nextInt(1800))));
    }
    if (random.nextInt(3) == 0) {
      steps.add(new Fault.RollServers(draw.share(0.75, 0.9)));
    }
    if (settings.redis()) {
      Duration span = Duration.ofMillis(500 + random.nextInt(2500));
      Duration at = draw.share(0.2, 0.7);
      steps.add(
          switch (random.nextInt(6)) {
            case 0, 1, 2 -> new Fault.FlushRedis(at);
            case 3 -> new Fault.RedisAway(at, Fault.StoreFailure.STOPS, span);
            case 4 -> new Fault.RedisAway(at, Fault.StoreFailure.HANGS, span);
            default -> new Fault.PostgresAway(at, Fault.StoreFailure.STOPS, span);
          });
    } else {
      store().ifPresent(steps::add);
    }
    return List.copyOf(steps);
  }

  /** In five seeds of six a store is away. Drawn apart, so that a seed's other faults stay. */
  private Optional<Fault> store() {
    PlanDraw apart = apart(3);
    Duration at = apart.share(0.3, 0.6);
    Duration span = apart.millis(700, 2500);
    Fault.StoreFailure how =
        apart.random().nextBoolean() ? Fault.StoreFailure.STOPS : Fault.StoreFailure.HANGS;
    return switch ((int) (seed % 6)) {
      case 1 -> Optional.of(Fault.PostgresAway.untilCallsAreRefused(at));
      case 2 -> Optional.of(new Fault.RedisAway(at, Fault.StoreFailure.STOPS, LONG));
      case 3 -> Optional.of(new Fault.RedisAway(at, Fault.StoreFailure.HANGS, HUNG));
      case 4 -> Optional.of(new Fault.PostgresAway(at, how, span));
      case 5 -> Optional.of(new Fault.RedisAway(at, how, span));
      default -> Optional.empty();
    };
  }

  /** Draws that leave the others of a seed as they are. */
  private PlanDraw apart(int number) {
    return new PlanDraw(new SplittableRandom(seed + 1_000_000 + number), settings.faultPhase());
  }

  private Map<FaultKind, FaultSetting> simulatorFaults() {
    Map<FaultKind, FaultSetting> faults = new LinkedHashMap<>();
    faults.put(FaultKind.WEBHOOK_DROP, FaultSetting.of(LOST));
    faults.put(FaultKind.WEBHOOK_REPEAT, upTo(0.25).lasting(Duration.ofSeconds(2)));
    faults.put(FaultKind.WEBHOOK_REORDER, upTo(0.25).lasting(Duration.ofSeconds(2)));
    faults.put(FaultKind.WEBHOOK_DELAY, upTo(0.25).lasting(Duration.ofSeconds(3)));
    faults.put(FaultKind.API_404, upTo(0.1));
    faults.put(FaultKind.API_429, upTo(0.1));
    faults.put(FaultKind.API_500, upTo(0.15));
    faults.put(FaultKind.API_SLOW, upTo(0.2).lasting(Duration.ofMillis(800)));
    faults.put(FaultKind.PRESENCE_STALE, upTo(0.3).lasting(Duration.ofSeconds(10)));
    faults.put(FaultKind.PRESENCE_TRUNCATED, upTo(0.15));
    faults.put(FaultKind.PRESENCE_EMPTY, upTo(0.1));
    faults.put(FaultKind.NULL_NAMES, upTo(0.3));
    // In each seed one of the answers that lack people is frequent.
    FaultKind lacking =
        List.of(FaultKind.PRESENCE_EMPTY, FaultKind.PRESENCE_TRUNCATED, FaultKind.PRESENCE_STALE)
            .get((int) (seed % 3));
    faults.put(lacking, FaultSetting.of(FREQUENT).lasting(Duration.ofSeconds(10)));
    return faults;
  }

  /** A probability in whole percents. */
  private FaultSetting upTo(double most) {
    return FaultSetting.of(random.nextInt((int) (most * 100) + 1) / 100.0);
  }
}

package io.convoke.chaos.bots;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanDraw;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Makes the plan of a seed. Deterministic for a seed and settings. */
final class BotPlanner {
  private static final List<Integer> LIMITS = List.of(1, 3, 5, 10, 1);

  /** The last two users have bots of their own kinds, see {@link BotFeatures}. */
  private static final int USERS = LIMITS.size() - 2;

  /** One in this many seeds waits for real minutes. */
  private static final int PATIENT = 10;

  /** From a start until the bot is in its meeting for certain. */
  private static final Duration STOPPED_ACTIVE = Duration.ofSeconds(6);

  /** Servers are gone for so long, and start then. */
  private static final Duration WITHOUT_SERVER = Duration.ofMillis(6500);

  /** Bot requests per second, more than the limits allow. */
  private static final double RATE = 2;

  private final SplittableRandom random;
  private final PlanDraw draw;

  /** For what was added later, so that a seed's other requests and faults stay as they were. */
  private final SplittableRandom own;

  private final ChaosSettings settings;
  private final long seed;

  private BotPlanner(long seed, ChaosSettings settings) {
    this.random = new SplittableRandom(seed);
    this.draw = new PlanDraw(random, settings.faultPhase());
    this.own = new SplittableRandom(seed + 1_000_003);
    this.settings = settings;
    this.seed = seed;
  }

  static BotPlan plan(long seed, ChaosSettings settings) {
    BotPlanner planner = new BotPlanner(seed, settings);
    return new BotPlan(
        seed,
        LIMITS,
        planner.requests(),
        planner.faults(),
        planner.engineFaults(),
        new CallbackFaultProxy.CallbackFaultRates(
            seed, planner.upTo(12), planner.upTo(12), planner.upTo(25), planner.upTo(25)),
        planner.engine(),
        seed % PATIENT == 0
            ? List.of(BotRunConfig.LATE, BotRunConfig.REALLY_LATE)
            : List.of(BotRunConfig.LATE));
  }

  private List<BotPlanStep.RequestBot> requests() {
    List<BotPlanStep.RequestBot> requests = new ArrayList<>();
    int number = (int) Math.round(settings.faultPhase().toMillis() / 1000.0 * RATE);
    for (int i = 0; i < number; i++) {
      int user = random.nextInt(USERS);
      BotScenarioKind botScenarioKind = kind();
      String room = "r" + seed + "-" + botScenarioKind.label() + "-" + i;
      Duration at = draw.share(0, 0.8);
      BotFault botFault = randomFault(botScenarioKind);
      requests.add(
          new BotPlanStep.RequestBot(
              at, user, room, random.nextInt(3) == 0 ? 3 : 1, stops(botFault), botFault));
      if (random.nextInt(5) == 0) {
        // Request the same meeting again, whatever the first bot's outcome.
        requests.add(
            new BotPlanStep.RequestBot(
                at.plusMillis(500 + random.nextInt(4000)),
                user,
                room,
                1,
                stops(BotFault.NONE),
                BotFault.NONE));
      }
    }
    // Never stopped before the end: one that hangs in a lobby and one that hangs in its meeting,
    // which only the sweeper ends, one that the sweeper must not end, and one that hears people.
    // Stopped, but without effect until the sweeper ends it: one that hears no command.
    Duration begin = Duration.ofMillis(own.nextInt(1000));
    requests.add(
        neverStopped(begin, USERS - 1, BotScenarioKind.CLOSED, number, BotFault.HUNG_STARTING));
    requests.add(neverStopped(begin, USERS - 1, BotScenarioKind.OPEN, number + 1, BotFault.HUNG));
    requests.add(
        neverStopped(begin, USERS - 1, BotScenarioKind.OPEN, quiet(number + 2), BotFault.NONE));
    requests.add(
        neverStopped(begin, 1, BotScenarioKind.OPEN, quiet(number + 4) + 1, BotFault.NONE));
    requests.add(
        new BotPlanStep.RequestBot(
            begin,
            USERS - 1,
            "r" + seed + "-" + BotScenarioKind.OPEN.label() + "-" + (number + 8),
            1,
            List.of(STOPPED_ACTIVE),
            BotFault.DEAF_TO_COMMANDS));
    requests.sort(Comparator.comparing(BotPlanStep.RequestBot::at));
    return List.copyOf(requests);
  }

  private BotPlanStep.RequestBot neverStopped(
      Duration at, int user, BotScenarioKind kind, int number, BotFault fault) {
    return new BotPlanStep.RequestBot(
        at, user, "r" + seed + "-" + kind.label() + "-" + number, 1, List.of(), fault);
  }

  /** The number of a room in which no one speaks, this one or the next. */
  private static int quiet(int number) {
    return number + (number + 1) % 2;
  }

  private BotScenarioKind kind() {
    BotScenarioKind[] kinds = BotScenarioKind.values();
    // Half of them have an open room.
    return random.nextBoolean() ? BotScenarioKind.OPEN : kinds[random.nextInt(kinds.length)];
  }

  private BotFault randomFault(BotScenarioKind botScenarioKind) {
    if (!botScenarioKind.honest() || random.nextInt(5) < 2) {
      return BotFault.NONE;
    }
    BotFault[] faults = BotFault.values();
    return faults[random.nextInt(faults.length - 2)];
  }

  /** Stop at once, while booting, while active, twice, or not before the end of the storm. */
  private List<Duration> stops(BotFault botFault) {
    boolean silent = botFault == BotFault.HUNG || botFault == BotFault.CUT_OFF;
    if (silent && random.nextInt(3) > 0) {
      // Only the sweeper ends it.
      return List.of();
    }
    return switch (random.nextInt(6)) {
      case 0 -> List.of();
      case 1 -> List.of(Duration.ZERO);
      case 2 -> List.of(draw.millis(0, 1500));
      case 3 -> List.of(draw.millis(1500, 5000), draw.millis(1500, 8000));
      default -> List.of(draw.millis(3000, 9000));
    };
  }

  private List<Fault> faults() {
    List<Fault> steps = new ArrayList<>();
    int kills = 1 + random.nextInt(2);
    for (int i = 0; i < kills; i++) {
      // One at a time, so that a server is not killed again while it starts.
      double from = 0.1 + 0.45 * i;
      steps.add(
          new Fault.KillServers(
              draw.share(from, from + 0.3), killedServers(), draw.millis(200, 2500)));
    }
    steps.add(
        switch (random.nextInt(3)) {
          case 0 -> new Fault.FlushRedis(draw.share(0.2, 0.8));
          case 1 ->
              new Fault.RedisAway(
                  draw.share(0.2, 0.7),
                  own.nextBoolean() ? Fault.StoreFailure.STOPS : Fault.StoreFailure.HANGS,
                  draw.millis(500, 4000));
          default -> new Fault.DropSubscriptions(draw.share(0.2, 0.8));
        });
    steps.add(new Fault.DropSubscriptions(draw.share(0.2, 0.9)));
    Duration late = settings.faultPhase().multipliedBy(85).dividedBy(100);
    switch (own.nextInt(4)) {
      case 0 -> steps.add(new Fault.RollServers(late));
      case 1 ->
          steps.add(
              new Fault.HangServer(
                  late, own.nextInt(settings.servers()), Duration.ofMillis(own.nextInt(2500))));
      default -> {}
    }
    if (seed % 3 == 1) {
      // Longer than a bot may be silent.
      steps.add(
          new Fault.KillServers(
              settings.faultPhase().multipliedBy(3).dividedBy(4),
              IntStream.range(0, settings.servers()).boxed().toList(),
              WITHOUT_SERVER));
    }
    if (seed % 3 == 0) {
      steps.add(Fault.PostgresAway.untilCallsAreRefused(settings.faultPhase().dividedBy(3)));
    } else if (seed % 3 == 2) {
      // No server is started again after it.
      steps.add(
          new Fault.PostgresAway(
              settings.faultPhase().multipliedBy(97).dividedBy(100),
              Fault.StoreFailure.STOPS,
              Duration.ofSeconds(2)));
    } else if (seed % 2 == 1) {
      steps.add(
          new Fault.PostgresAway(
              Duration.ofMillis(settings.faultPhase().toMillis() * own.nextInt(35, 65) / 100),
              own.nextBoolean() ? Fault.StoreFailure.STOPS : Fault.StoreFailure.HANGS,
              Duration.ofMillis(own.nextInt(700, 2500))));
    }
    return settings.faults(seed, steps);
  }

  private List<BotPlanStep.KillEngine> engineFaults() {
    return settings.docker() && seed % 2 == 0
        ? List.of(new BotPlanStep.KillEngine(draw.share(0.3, 0.6), draw.millis(200, 2000)))
        : List.of();
  }

  private Optional<DockerFaultProxy.DockerFaultRates> engine() {
    return settings.docker()
        ? Optional.of(
            new DockerFaultProxy.DockerFaultRates(seed, upTo(20), upTo(8), upTo(8), upTo(8)))
        : Optional.empty();
  }

  private List<Integer> killedServers() {
    return settings.servers() == 1 || random.nextInt(4) == 0
        ? IntStream.range(0, settings.servers()).boxed().toList()
        : List.of(random.nextInt(settings.servers()));
  }

  private int upTo(int percent) {
    return random.nextInt(percent + 1);
  }
}

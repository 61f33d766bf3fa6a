package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.Fault.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Makes the plan of a seed. Deterministic for a seed and settings. */
final class SyncPlanner {
  /** Recovery time between two faults. */
  private static final int PAUSE_MIN_MS = 1500;

  private static final int PAUSE_SPREAD_MS = 2500;
  private static final int DOWN_MIN_MS = 200;
  private static final int DOWN_SPREAD_MS = 2000;

  /** Long enough for servers to reconnect to Redis before Postgres is back. */
  private static final Duration BOTH_MORE = Duration.ofMillis(1500);

  /** Far shorter than a server tries to store an update. */
  private static final Duration UNANSWERED = Duration.ofMillis(800);

  private SyncPlanner() {}

  /** The faults, one after the other, until the end of the storm. */
  static List<Fault> plan(long seed, ChaosSettings settings) {
    SplittableRandom random = new SplittableRandom(seed);
    // Apart, so that a seed's other faults stay as they were.
    SplittableRandom own = new SplittableRandom(seed + 1_000_003);
    List<Fault> steps = new ArrayList<>();
    Duration at = Duration.ofMillis(800);
    Duration end = settings.faultPhase().minusMillis(500);
    while (at.compareTo(end) < 0) {
      Duration down = Duration.ofMillis(DOWN_MIN_MS + random.nextInt(DOWN_SPREAD_MS));
      Fault drawn = step(at, down, random, settings.servers());
      boolean rolls = drawn instanceof Fault.KillServers && own.nextInt(3) == 0;
      steps.add(rolls ? new Fault.RollServers(at) : drawn);
      at = at.plus(down).plusMillis(PAUSE_MIN_MS + random.nextInt(PAUSE_SPREAD_MS));
    }
    if (onNetwork(seed)) {
      Duration middle = settings.faultPhase().dividedBy(2);
      steps.add(new Fault.UnansweredCommits(middle, own.nextInt(settings.servers()), UNANSWERED));
    }
    steps.add(last(seed, settings));
    return settings.faults(seed, steps);
  }

  /**
   * The last fault: Postgres is away until calls are refused, a server's writes do not reach Redis
   * while another reads there, or no store has what Redis missed.
   */
  private static Fault last(long seed, ChaosSettings settings) {
    Duration at = settings.faultPhase().minusMillis(100);
    return switch (Math.floorMod(seed, 3)) {
      case 0 -> new Fault.SilentNetwork(at, 0, Fault.Store.REDIS);
      case 1 -> Fault.PostgresAway.untilCallsAreRefused(at);
      default -> new Fault.StoresAway(at, Duration.ofSeconds(1), Duration.ofSeconds(3));
    };
  }

  /** Whether a seed's faults hit the network between servers and stores. */
  static boolean onNetwork(long seed) {
    return Math.floorMod(seed, 3) == 0;
  }

  private static Fault step(Duration at, Duration down, SplittableRandom random, int servers) {
    return switch (random.nextInt(12)) {
      case 0 -> new Fault.FlushRedis(at);
      case 1 -> new Fault.RedisAway(at, StoreFailure.STOPS, down);
      case 2 -> new Fault.RedisAway(at, StoreFailure.IS_KILLED, down);
      case 3, 4 -> new Fault.RedisAway(at, StoreFailure.HANGS, down);
      case 5 -> new Fault.PostgresAway(at, StoreFailure.STOPS, down);
      case 6 -> new Fault.PostgresAway(at, StoreFailure.IS_KILLED, down);
      case 7, 8 -> new Fault.PostgresAway(at, StoreFailure.HANGS, down);
      case 9 -> new Fault.StoresAway(at, down.dividedBy(2), down.plus(BOTH_MORE));
      case 10 -> new Fault.HangServer(at, random.nextInt(servers), down);
      default -> new Fault.KillServers(at, List.of(random.nextInt(servers)), down);
    };
  }
}

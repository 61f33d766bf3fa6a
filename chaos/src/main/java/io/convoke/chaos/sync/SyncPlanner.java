package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosSettings;
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

  private SyncPlanner() {}

  /** The faults, one after the other, until the end of the storm. */
  static List<SyncFault> plan(long seed, ChaosSettings settings) {
    SplittableRandom random = new SplittableRandom(seed);
    List<SyncFault> steps = new ArrayList<>();
    Duration at = Duration.ofMillis(800);
    Duration end = settings.faultPhase().minusMillis(500);
    while (at.compareTo(end) < 0) {
      Duration down = Duration.ofMillis(DOWN_MIN_MS + random.nextInt(DOWN_SPREAD_MS));
      steps.add(step(at, down, random, settings.servers()));
      at = at.plus(down).plusMillis(PAUSE_MIN_MS + random.nextInt(PAUSE_SPREAD_MS));
    }
    return List.copyOf(steps);
  }

  private static SyncFault step(Duration at, Duration down, SplittableRandom random, int servers) {
    return switch (random.nextInt(12)) {
      case 0 -> new SyncFault.RedisFlushed(at);
      case 1 -> new SyncFault.RedisDown(at, down, false);
      case 2 -> new SyncFault.RedisDown(at, down, true);
      case 3, 4 -> new SyncFault.RedisHangs(at, down);
      case 5 -> new SyncFault.PostgresDown(at, down, false);
      case 6 -> new SyncFault.PostgresDown(at, down, true);
      case 7, 8 -> new SyncFault.PostgresHangs(at, down);
      case 9 -> new SyncFault.StoresDown(at, down.dividedBy(2), down.plus(BOTH_MORE));
      case 10 -> new SyncFault.ServerHangs(at, random.nextInt(servers), down);
      default -> new SyncFault.ServerDies(at, random.nextInt(servers), down);
    };
  }
}

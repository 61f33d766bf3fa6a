package io.convoke.chaos;

import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A fault that {@code --fault} adds to the plan of any scenario. Each is drawn from the seed apart
 * from the plan, which stays as it was.
 */
public enum AddedFault {
  /** Traffic between a server and Redis comes late, in both directions. */
  SLOW_REDIS,
  /** The same with Postgres. */
  SLOW_POSTGRES,
  /** The open connections of a server to Redis carry nothing any more, and are not closed. */
  SILENT_REDIS,
  /** The same with Postgres. */
  SILENT_POSTGRES,
  /** Redis loses power, and with it its last writes. */
  LOST_WRITES,
  /** The disk of Postgres is full. */
  FULL_DISK,
  /** Postgres dies, and its synchronous standby takes over. */
  FAILOVER,
  /** A server is killed, and its first connections to Postgres end when it starts again. */
  FIRST_CONNECTIONS,
  /** A server's connections end when they would carry answers of Postgres to its commits. */
  UNANSWERED_COMMITS,
  /** Clients open event streams and read nothing. */
  STALLED_STREAMS;

  private static final long OWN_DRAW = 7_000_003;
  private static final int STREAMS = 30;

  /** On the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether servers reach the stores over a network that the injector commands. */
  boolean onNetwork() {
    return switch (this) {
      case SLOW_REDIS, SLOW_POSTGRES, SILENT_REDIS, SILENT_POSTGRES -> true;
      case FIRST_CONNECTIONS, UNANSWERED_COMMITS -> true;
      case LOST_WRITES, FULL_DISK, FAILOVER, STALLED_STREAMS -> false;
    };
  }

  /** The fault of a seed, in the middle of the fault phase. */
  Fault planned(long seed, ChaosSettings settings) {
    SplittableRandom random = new SplittableRandom(seed + OWN_DRAW);
    PlanDraw draw = new PlanDraw(random, settings.faultPhase());
    Duration at = draw.share(0.3, 0.5);
    int server = random.nextInt(settings.servers());
    return switch (this) {
      case SLOW_REDIS -> slow(at, server, Fault.Store.REDIS, draw);
      case SLOW_POSTGRES -> slow(at, server, Fault.Store.POSTGRES, draw);
      case SILENT_REDIS -> new Fault.SilentNetwork(at, server, Fault.Store.REDIS);
      case SILENT_POSTGRES -> new Fault.SilentNetwork(at, server, Fault.Store.POSTGRES);
      case LOST_WRITES ->
          new Fault.LoseLastWrites(at, draw.millis(100, 1000), draw.millis(100, 1500));
      case FULL_DISK -> new Fault.FullDisk(at, draw.millis(1000, 4000));
      case FAILOVER -> new Fault.FailOverPostgres(at);
      case FIRST_CONNECTIONS -> new Fault.EndFirstConnections(at, server);
      case UNANSWERED_COMMITS -> new Fault.UnansweredCommits(at, server, draw.millis(300, 1500));
      case STALLED_STREAMS -> new Fault.StalledStreams(at, STREAMS, draw.millis(2000, 5000));
    };
  }

  private static Fault slow(Duration at, int server, Fault.Store store, PlanDraw draw) {
    return new Fault.SlowNetwork(at, server, store, draw.millis(10, 200), draw.millis(1500, 4000));
  }
}

package io.convoke.chaos;

import java.time.Duration;

/**
 * Settings of a run.
 *
 * @param faultPhase how long users act and faults are injected
 * @param servers number of server processes
 * @param redis whether Redis is stopped or emptied too
 * @param docker whether bots are containers of a real engine
 */
public record ChaosSettings(Duration faultPhase, int servers, boolean redis, boolean docker) {
  public static final ChaosSettings FULL =
      new ChaosSettings(Duration.ofSeconds(12), 2, false, false);

  /** One server, half the storm. */
  public static final ChaosSettings QUICK =
      new ChaosSettings(Duration.ofSeconds(6), 1, false, false);

  public ChaosSettings withRedis(boolean other) {
    return new ChaosSettings(faultPhase, servers, other, docker);
  }

  public ChaosSettings withDocker(boolean other) {
    return new ChaosSettings(faultPhase, servers, redis, other);
  }

  public ChaosSettings withServers(int other) {
    return new ChaosSettings(faultPhase, other, redis, docker);
  }

  public ChaosSettings withStorm(Duration other) {
    return new ChaosSettings(other, servers, redis, docker);
  }

  /** As options of the command, to run the same again. */
  String options() {
    return " --seconds "
        + faultPhase.toSeconds()
        + " --servers "
        + servers
        + (redis ? " --redis" : "")
        + (docker ? " --docker" : "");
  }
}

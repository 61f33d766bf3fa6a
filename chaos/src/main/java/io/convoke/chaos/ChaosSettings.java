package io.convoke.chaos;

import java.time.Duration;
import java.util.Optional;

/**
 * Settings of a run.
 *
 * @param faultPhase how long users act and faults are injected
 * @param servers number of server processes
 * @param redis whether Redis is stopped or emptied too
 * @param docker whether bots are containers of a real engine
 * @param bot the command of the bots instead of the reference bot's
 */
public record ChaosSettings(
    Duration faultPhase, int servers, boolean redis, boolean docker, Optional<String> bot) {
  public static final ChaosSettings FULL =
      new ChaosSettings(Duration.ofSeconds(12), 2, false, false, Optional.empty());

  /** One server, half the storm. */
  public static final ChaosSettings QUICK =
      new ChaosSettings(Duration.ofSeconds(6), 1, false, false, Optional.empty());

  public ChaosSettings withRedis(boolean other) {
    return new ChaosSettings(faultPhase, servers, other, docker, bot);
  }

  public ChaosSettings withDocker(boolean other) {
    return new ChaosSettings(faultPhase, servers, redis, other, bot);
  }

  public ChaosSettings withServers(int other) {
    return new ChaosSettings(faultPhase, other, redis, docker, bot);
  }

  public ChaosSettings withStorm(Duration other) {
    return new ChaosSettings(other, servers, redis, docker, bot);
  }

  public ChaosSettings withBot(Optional<String> other) {
    return new ChaosSettings(faultPhase, servers, redis, docker, other);
  }

  /** As options of the command, to run the same again. */
  String options() {
    return " --seconds "
        + faultPhase.toSeconds()
        + " --servers "
        + servers
        + (redis ? " --redis" : "")
        + (docker ? " --docker" : "")
        + bot.map(command -> " --bot '" + command + "'").orElse("");
  }
}

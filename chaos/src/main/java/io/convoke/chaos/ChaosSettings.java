package io.convoke.chaos;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Settings of a run.
 *
 * @param faultPhase how long users act and faults are injected
 * @param servers number of server processes
 * @param redis whether Redis is stopped or emptied too
 * @param docker whether bots are containers of a real engine
 * @param bot the command of the bots instead of the reference bot's
 * @param added faults in addition to those of the scenario's own plan
 */
public record ChaosSettings(
    Duration faultPhase,
    int servers,
    boolean redis,
    boolean docker,
    Optional<String> bot,
    Set<AddedFault> added) {
  public static final ChaosSettings FULL =
      new ChaosSettings(Duration.ofSeconds(12), 2, false, false, Optional.empty(), Set.of());

  /** One server, half the storm. */
  public static final ChaosSettings QUICK =
      new ChaosSettings(Duration.ofSeconds(6), 1, false, false, Optional.empty(), Set.of());

  public ChaosSettings withRedis(boolean other) {
    return new ChaosSettings(faultPhase, servers, other, docker, bot, added);
  }

  public ChaosSettings withDocker(boolean other) {
    return new ChaosSettings(faultPhase, servers, redis, other, bot, added);
  }

  public ChaosSettings withServers(int other) {
    return new ChaosSettings(faultPhase, other, redis, docker, bot, added);
  }

  public ChaosSettings withStorm(Duration other) {
    return new ChaosSettings(other, servers, redis, docker, bot, added);
  }

  public ChaosSettings withBot(Optional<String> other) {
    return new ChaosSettings(faultPhase, servers, redis, docker, other, added);
  }

  public ChaosSettings withAdded(Set<AddedFault> other) {
    return new ChaosSettings(faultPhase, servers, redis, docker, bot, other);
  }

  /** A scenario's own faults of a seed and the added ones, in the order of their times. */
  public List<Fault> faults(long seed, List<Fault> own) {
    return Stream.concat(own.stream(), added(seed).stream())
        .sorted(Comparator.comparing(Fault::at))
        .toList();
  }

  /** The added faults of a seed. */
  public List<Fault> added(long seed) {
    return added.stream().sorted().map(fault -> fault.planned(seed, this)).toList();
  }

  /** As options of the command, to run the same again. */
  String options() {
    return " --seconds "
        + faultPhase.toSeconds()
        + " --servers "
        + servers
        + (redis ? " --redis" : "")
        + (docker ? " --docker" : "")
        + bot.map(command -> " --bot '" + command + "'").orElse("")
        + added.stream()
            .sorted()
            .map(fault -> " --fault " + fault.label())
            .collect(Collectors.joining());
  }
}

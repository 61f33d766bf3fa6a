package io.convoke.chaos.bots;

import io.convoke.chaos.bots.rules.BotStateLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All that will happen in a run.
 *
 * @param limits of each user's bots
 * @param requests of users, in order of time
 * @param faults of servers and Redis, in order of time
 * @param path how callbacks fare
 * @param engine how calls to the Docker engine fare; empty without one
 * @param ghosts after the end: how long is waited, each time, until old callbacks come again
 */
record BotPlan(
    long seed,
    List<Integer> limits,
    List<BotPlanStep.RequestBot> requests,
    List<BotPlanStep> faults,
    CallbackFaultProxy.CallbackFaultRates path,
    Optional<DockerFaultProxy.DockerFaultRates> engine,
    List<Duration> ghosts) {

  /** How long each state may last. */
  BotStateLimits deadlines() {
    return engine.isPresent() ? BotRunConfig.CONTAINER_DEADLINES : BotRunConfig.DEADLINES;
  }

  /** The plan for people. */
  List<String> lines() {
    Map<BotScenarioKind, Integer> kinds = new EnumMap<>(BotScenarioKind.class);
    requests.forEach(
        requestBot -> kinds.merge(BotScenarioKind.of(requestBot.room()), 1, Integer::sum));
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d users with limits %s, %d wishes, %d requests to start"
            .formatted(
                seed,
                limits.size(),
                limits,
                requests.size(),
                requests.stream().mapToInt(BotPlanStep.RequestBot::times).sum()));
    lines.add(
        "  rooms and launches: "
            + kinds.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey().label())
                .collect(Collectors.joining(", ")));
    lines.add("  callbacks: " + path);
    engine.ifPresent(dockerFaultRates -> lines.add("  the Docker engine: " + dockerFaultRates));
    lines.add(
        "  bots: "
            + requests.stream()
                .filter(requestBot -> requestBot.fault() != BotFault.NONE)
                .map(requestBot -> requestBot.room() + " " + requestBot.fault().description())
                .collect(Collectors.joining(", ")));
    lines.add(
        "  when all is over: old callbacks come again after "
            + ghosts.stream()
                .map(wait -> wait.toSeconds() + " s")
                .collect(Collectors.joining(" and after ")));
    faults.forEach(botPlanStep -> lines.add("  " + botPlanStep));
    return lines;
  }
}

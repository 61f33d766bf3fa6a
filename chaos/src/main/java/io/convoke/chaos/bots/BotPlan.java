package io.convoke.chaos.bots;

import io.convoke.chaos.Fault;
import io.convoke.chaos.bots.rules.BotHistory.BotStateLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The plan of a run.
 *
 * @param limits bot limit of each user
 * @param requests user requests, by time
 * @param faults server and Redis faults, by time
 * @param engineFaults faults of the Docker engine, by time
 * @param path callback fault probabilities
 * @param engine fault probabilities of Docker calls; empty without an engine
 * @param replays waits before each replay of old callbacks after the end
 */
record BotPlan(
    long seed,
    List<Integer> limits,
    List<BotPlanStep.RequestBot> requests,
    List<Fault> faults,
    List<BotPlanStep.KillEngine> engineFaults,
    CallbackFaultProxy.CallbackFaultRates path,
    Optional<DockerFaultProxy.DockerFaultRates> engine,
    List<Duration> replays) {

  /** Maximum duration of each status. */
  BotStateLimits deadlines() {
    return engine.isPresent() ? BotRunConfig.CONTAINER_DEADLINES : BotRunConfig.DEADLINES;
  }

  /** The plan as readable text. */
  List<String> lines() {
    Map<BotScenarioKind, Integer> kinds = new EnumMap<>(BotScenarioKind.class);
    requests.forEach(request -> kinds.merge(BotScenarioKind.of(request.room()), 1, Integer::sum));
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d users with limits %s, %d bots, %d start requests"
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
    engine.ifPresent(rates -> lines.add("  the Docker engine: " + rates));
    lines.add(
        "  bots: "
            + requests.stream()
                .filter(request -> request.fault() != BotFault.NONE)
                .map(request -> request.room() + " " + request.fault().description())
                .collect(Collectors.joining(", ")));
    lines.add(
        "  after the run: old callbacks are repeated after "
            + replays.stream()
                .map(wait -> wait.toSeconds() + " s")
                .collect(Collectors.joining(" and after ")));
    faults.forEach(fault -> lines.add("  " + fault));
    engineFaults.forEach(fault -> lines.add("  " + fault));
    return lines;
  }
}

package io.convoke.chaos.presence;

import io.convoke.chaos.PlanFormat;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All that will happen in a run.
 *
 * @param moves of people, in order of time
 * @param faults of processes, in order of time
 * @param faults of webhooks and of the platform's API
 * @param breaker whether three failed deliveries stop all webhooks, as Daily does by default
 */
record PresencePlan(
    long seed,
    List<String> rooms,
    List<PresencePlanStep> moves,
    List<PresencePlanStep> plannedFaults,
    Map<FaultKind, FaultSetting> faults,
    boolean breaker) {

  /** The plan for people. */
  List<String> lines() {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "seed %d: %d rooms, %d moves, webhooks %s"
                    .formatted(
                        seed,
                        rooms.size(),
                        moves.size(),
                        breaker ? "with a circuit breaker" : "tried again"),
                "  " + PlanFormat.chances(faults)));
    plannedFaults.forEach(presencePlanStep -> lines.add("  " + presencePlanStep));
    return lines;
  }
}

package io.convoke.chaos.presence;

import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanFormat;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The plan of a run.
 *
 * @param steps joins and leaves, by time
 * @param plannedFaults process faults, by time
 * @param faults of webhooks and of the platform's API
 * @param visit when a visit to a room with a rule begins
 * @param failure when the bot in the last room fails
 * @param breaker whether three failed deliveries disable all webhooks, Daily's default
 */
record PresencePlan(
    long seed,
    List<String> rooms,
    List<PresencePlanStep> steps,
    List<Fault> plannedFaults,
    Map<FaultKind, FaultSetting> faults,
    Duration visit,
    Duration failure,
    boolean breaker) {

  /** The plan as readable text. */
  List<String> lines() {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "seed %d: %d rooms, %d steps, webhooks %s"
                    .formatted(
                        seed,
                        rooms.size(),
                        steps.size(),
                        breaker ? "with a circuit breaker" : "tried again"),
                "  " + PlanFormat.chances(faults)));
    lines.add(PlanFormat.at(failure, "the bot in " + rooms.getLast() + " fails"));
    plannedFaults.forEach(fault -> lines.add("  " + fault));
    return lines;
  }
}

package io.convoke.chaos.dispatch;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All that will happen in a run.
 *
 * @param clocks by the names of processes: how far each wall clock is ahead from the start
 * @param orders in order of time
 * @param faults in order of time
 */
record DispatchPlan(
    long seed,
    int servers,
    int pods,
    Map<String, Duration> clocks,
    List<PlannedTask> orders,
    List<DispatchFault> faults) {

  /** The plan for people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d servers, %d pods of %d slots in %d regions, %d tasks, %d stops"
            .formatted(
                seed,
                servers,
                pods,
                DispatchRunConfig.SLOTS,
                DispatchRunConfig.REGIONS.size(),
                orders.size(),
                orders.stream().mapToInt(plannedTask -> plannedTask.stops().size()).sum()));
    lines.add("  " + DispatchRunConfig.line());
    clocks.forEach(
        (name, ahead) ->
            lines.add("  the clock of " + name + " is " + PlanFormat.seconds(ahead) + " ahead"));
    faults.forEach(dispatchFault -> lines.add("  " + dispatchFault));
    return lines;
  }
}

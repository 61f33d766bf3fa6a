package io.convoke.chaos.dispatch;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The plan of a run.
 *
 * @param clocks by process name: how far each wall clock is ahead from the start
 * @param orders planned tasks, by time
 * @param faults by time
 */
record DispatchPlan(
    long seed,
    int servers,
    int pods,
    Map<String, Duration> clocks,
    List<PlannedTask> orders,
    List<DispatchFault> faults) {

  /** The plan as readable text. */
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
                orders.stream().mapToInt(task -> task.stops().size()).sum()));
    lines.add("  " + DispatchRunConfig.line());
    clocks.forEach(
        (name, ahead) ->
            lines.add("  the clock of " + name + " is " + PlanFormat.seconds(ahead) + " ahead"));
    faults.forEach(fault -> lines.add("  " + fault));
    return lines;
  }
}

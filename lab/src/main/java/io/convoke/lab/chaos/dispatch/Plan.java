package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.chaos.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All that will happen in a run.
 *
 * @param clocks by the names of processes: how far each wall clock is ahead from the start
 * @param orders in order of time
 * @param disturbances in order of time
 */
record Plan(
    long seed,
    int servers,
    int pods,
    Map<String, Duration> clocks,
    List<Order> orders,
    List<Step> disturbances) {

  /** The plan for people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d servers, %d pods of %d slots in %d regions, %d tasks, %d stops"
            .formatted(
                seed,
                servers,
                pods,
                Terms.SLOTS,
                Terms.REGIONS.size(),
                orders.size(),
                orders.stream().mapToInt(order -> order.stops().size()).sum()));
    lines.add("  " + Terms.line());
    clocks.forEach(
        (name, ahead) ->
            lines.add("  the clock of " + name + " is " + Words.seconds(ahead) + " ahead"));
    disturbances.forEach(step -> lines.add("  " + step));
    return lines;
  }
}

package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.Words;
import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All that will happen in a run.
 *
 * @param rooms by name: which of the two users track it; nobody, one, or both
 * @param recordings in order of time
 * @param disturbances in order of time
 * @param faults of webhooks and of the platform's API
 * @param unlisted whether the servers list nothing, so that webhooks alone must do
 */
record Plan(
    long seed,
    Map<String, List<Integer>> rooms,
    List<Step.Take> recordings,
    List<Step> disturbances,
    Map<FaultKind, Fault> faults,
    boolean unlisted) {

  /** The plan for people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d rooms, %d recordings%s"
            .formatted(
                seed,
                rooms.size(),
                recordings.size() + meanwhile(),
                unlisted ? ", of which only webhooks tell" : ""));
    lines.add("  " + Words.chances(faults));
    disturbances.forEach(step -> lines.add("  " + step));
    return lines;
  }

  private int meanwhile() {
    return disturbances.stream()
        .mapToInt(step -> step instanceof Step.Outage outage ? outage.meanwhile().size() : 0)
        .sum();
  }
}

package io.convoke.lab.chaos.recordings;

import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

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
    String chances =
        faults.entrySet().stream()
            .map(
                entry ->
                    String.format(
                        Locale.ROOT,
                        "%s %.0f %%",
                        entry.getKey().wireName(),
                        entry.getValue().probability() * 100))
            .collect(Collectors.joining(", "));
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d rooms, %d recordings%s"
            .formatted(
                seed,
                rooms.size(),
                recordings.size() + meanwhile(),
                unlisted ? ", of which only webhooks tell" : ""));
    lines.add("  " + chances);
    disturbances.forEach(step -> lines.add("  " + step));
    return lines;
  }

  private int meanwhile() {
    return disturbances.stream()
        .mapToInt(step -> step instanceof Step.Outage outage ? outage.meanwhile().size() : 0)
        .sum();
  }
}

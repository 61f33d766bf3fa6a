package io.convoke.chaos.recordings;

import io.convoke.chaos.PlanFormat;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All that will happen in a run.
 *
 * @param rooms by name: which of the two users track it; nobody, one, or both
 * @param recordings in order of time
 * @param faults in order of time
 * @param faults of webhooks and of the platform's API
 * @param unlisted whether the servers list nothing, so that webhooks alone must do
 */
record RecordingPlan(
    long seed,
    Map<String, List<Integer>> rooms,
    List<RecordingPlanStep.MakeRecording> recordings,
    List<RecordingPlanStep> plannedFaults,
    Map<FaultKind, FaultSetting> faults,
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
    lines.add("  " + PlanFormat.chances(faults));
    plannedFaults.forEach(recordingPlanStep -> lines.add("  " + recordingPlanStep));
    return lines;
  }

  private int meanwhile() {
    return plannedFaults.stream()
        .mapToInt(
            recordingPlanStep ->
                recordingPlanStep instanceof RecordingPlanStep.KillAllServers killAllServers
                    ? killAllServers.meanwhile().size()
                    : 0)
        .sum();
  }
}

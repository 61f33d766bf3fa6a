package io.convoke.chaos.recordings;

import io.convoke.chaos.PlanFormat;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The plan of a run.
 *
 * @param rooms which of the two users tracks each room; empty: the admin matches its recordings
 * @param recordings by time
 * @param faults process and store faults, by time
 * @param faults of webhooks and of the platform's API
 * @param unlisted whether servers list recordings only at the start, then rely on webhooks
 */
record RecordingPlan(
    long seed,
    Map<String, List<Integer>> rooms,
    List<RecordingPlanStep.MakeRecording> recordings,
    List<RecordingPlanStep> plannedFaults,
    Map<FaultKind, FaultSetting> faults,
    boolean unlisted) {

  /** End of the name of the room that has other meetings than the recordings'. */
  static final String USED = "-used";

  /** End of the name of the room that moves to the other user while it is recorded. */
  static final String MOVED = "-moved";

  /** This plan without corrections, which servers of an earlier release do not know. */
  RecordingPlan withoutCorrections() {
    return new RecordingPlan(
        seed,
        rooms,
        recordings.stream()
            .filter(one -> !one.faultPlan().equals(RecordingFaultPlan.corrected()))
            .toList(),
        plannedFaults,
        faults,
        unlisted);
  }

  /** The plan as readable text. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d rooms, %d recordings%s"
            .formatted(
                seed,
                rooms.size(),
                recordings.size() + meanwhile(),
                unlisted ? " known only by webhooks" : ""));
    lines.add("  " + PlanFormat.chances(faults));
    plannedFaults.forEach(step -> lines.add("  " + step));
    return lines;
  }

  private int meanwhile() {
    return plannedFaults.stream().mapToInt(RecordingPlan::meanwhile).sum();
  }

  private static int meanwhile(RecordingPlanStep step) {
    return switch (step) {
      case RecordingPlanStep.KillAllServers servers -> servers.meanwhile().size();
      case RecordingPlanStep.WithoutRedis redis -> redis.meanwhile().size();
      case RecordingPlanStep.KillRecordingServers _,
          RecordingPlanStep.KillAtUpload _,
          RecordingPlanStep.MakeRecording _,
          RecordingPlanStep.SharedFault _ ->
          0;
    };
  }
}

package io.convoke.fakes.orchestrator.nomad;

import io.convoke.fakes.orchestrator.FakeWorkload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One placement of a job's tasks on a node; guarded by the {@link FakeNomadCluster}. */
final class FakeNomadAllocation {
  private static final Map<String, Object> STARTED = event("Started", "Task started by client");

  final String id = UUID.randomUUID().toString();
  final long createIndex;
  long modifyIndex;
  boolean lost;
  boolean unknown;
  boolean outOfMemory;
  @Nullable String driverError;
  @Nullable Integer exitCode;
  @Nullable FakeWorkload workload;

  FakeNomadAllocation(long createIndex) {
    this.createIndex = createIndex;
    this.modifyIndex = createIndex;
  }

  boolean ended() {
    return lost || exitCode != null || driverError != null;
  }

  /** Whether its node reports nothing any more, so that what happens there changes nothing here. */
  boolean outOfTouch() {
    return lost || unknown;
  }

  String clientStatus(boolean stopped) {
    if (lost) {
      return "lost";
    }
    if (unknown) {
      return "unknown";
    }
    if (driverError != null) {
      return "failed";
    }
    Integer code = exitCode;
    if (code == null) {
      return "running";
    }
    return code == 0 || stopped ? "complete" : "failed";
  }

  /** Nomad's tasks have no order, so the sidecar comes first. */
  Map<String, Object> stub(String jobId, boolean stopped, boolean sidecar) {
    Map<String, Object> states = new LinkedHashMap<>();
    if (sidecar) {
      states.put(
          FakeNomadJob.SIDECAR,
          ended()
              ? state(false, List.of(STARTED, terminated(0, false)))
              : state(false, List.of(STARTED)));
    }
    states.put(FakeNomadJob.TASK, bot(stopped));
    return Map.of(
        "ID",
        id,
        "JobID",
        jobId,
        "Name",
        jobId + "." + FakeNomadJob.GROUP + "[0]",
        "TaskGroup",
        FakeNomadJob.GROUP,
        "ClientStatus",
        clientStatus(stopped),
        "DesiredStatus",
        stopped || lost ? "stop" : "run",
        "TaskStates",
        states,
        "CreateIndex",
        createIndex,
        "ModifyIndex",
        modifyIndex);
  }

  private Map<String, Object> bot(boolean stopped) {
    String error = driverError;
    if (error != null) {
      return state(
          true,
          List.of(
              event("Received", "Task received by client"),
              event("Driver Failure", error),
              event("Not Restarting", "Policy allows no restarts")));
    }
    Integer code = exitCode;
    return code == null
        ? state(false, List.of(STARTED))
        : state(
            clientStatus(stopped).equals("failed"),
            List.of(STARTED, terminated(code, outOfMemory)));
  }

  private Map<String, Object> state(boolean failed, List<Map<String, Object>> events) {
    return Map.of("State", ended() ? "dead" : "running", "Failed", failed, "Events", events);
  }

  private static Map<String, Object> event(String type, String message) {
    return Map.of("Type", type, "DisplayMessage", message);
  }

  private static Map<String, Object> terminated(int code, boolean outOfMemory) {
    return Map.of(
        "Type",
        "Terminated",
        "DisplayMessage",
        "Exit Code: " + code,
        "ExitCode",
        code,
        "Details",
        Map.of("exit_code", Integer.toString(code), "oom_killed", Boolean.toString(outOfMemory)));
  }
}

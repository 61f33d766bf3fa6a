package io.convoke.fakes.orchestrator.nomad;

import io.convoke.fakes.orchestrator.FakeWorkload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One dispatched job with its one allocation; guarded by the {@link FakeNomadCluster}. */
final class FakeNomadJob {
  final String id;
  final String allocation;
  final Map<String, String> meta;
  final Optional<String> token;
  final long createIndex;
  long modifyIndex;
  boolean stopped;
  boolean lost;
  boolean outOfMemory;
  @Nullable Integer exitCode;
  @Nullable FakeWorkload workload;

  FakeNomadJob(
      String id,
      String allocation,
      Map<String, String> meta,
      Optional<String> token,
      long createIndex) {
    this.id = id;
    this.allocation = allocation;
    this.meta = meta;
    this.token = token;
    this.createIndex = createIndex;
    this.modifyIndex = createIndex;
  }

  boolean ended() {
    return lost || exitCode != null;
  }

  /** A stopped job is dead for the servers while its task may still be exiting. */
  String status() {
    return stopped || ended() ? "dead" : "running";
  }

  String clientStatus() {
    Integer code = exitCode;
    if (lost) {
      return "lost";
    }
    if (code == null) {
      return "running";
    }
    return code == 0 || stopped ? "complete" : "failed";
  }

  Map<String, Object> stub(String namespace, boolean withMeta) {
    Map<String, Object> group = new LinkedHashMap<>();
    for (String count : List.of("Queued", "Complete", "Failed", "Running", "Starting", "Lost")) {
      group.put(count, count.equalsIgnoreCase(clientStatus()) ? 1 : 0);
    }
    Map<String, Object> stub = new LinkedHashMap<>();
    stub.put("ID", id);
    stub.put("ParentID", id.substring(0, id.indexOf("/dispatch-")));
    stub.put("Name", id);
    stub.put("Namespace", namespace);
    stub.put("Type", "batch");
    stub.put("Status", status());
    stub.put("Stop", stopped);
    stub.put(
        "JobSummary", Map.of("JobID", id, "Namespace", namespace, "Summary", Map.of("bot", group)));
    stub.put("CreateIndex", createIndex);
    stub.put("ModifyIndex", modifyIndex);
    if (withMeta) {
      stub.put("Meta", meta);
    }
    return stub;
  }

  Map<String, Object> allocationStub() {
    Map<String, Object> state = new LinkedHashMap<>();
    state.put("State", ended() ? "dead" : "running");
    state.put("Failed", clientStatus().equals("failed"));
    Integer code = exitCode;
    state.put(
        "Events",
        code == null
            ? List.of(Map.of("Type", "Started"))
            : List.of(
                Map.of("Type", "Started"),
                Map.of(
                    "Type",
                    "Terminated",
                    "ExitCode",
                    code,
                    "Details",
                    Map.of(
                        "exit_code",
                        Integer.toString(code),
                        "oom_killed",
                        Boolean.toString(outOfMemory)))));
    return Map.of(
        "ID",
        allocation,
        "JobID",
        id,
        "ClientStatus",
        clientStatus(),
        "DesiredStatus",
        stopped ? "stop" : "run",
        "TaskStates",
        Map.of("bot", state),
        "CreateIndex",
        createIndex,
        "ModifyIndex",
        modifyIndex);
  }
}

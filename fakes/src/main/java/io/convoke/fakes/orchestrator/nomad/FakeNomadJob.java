package io.convoke.fakes.orchestrator.nomad;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.NullNode;

/** One dispatched job with its allocations; guarded by the {@link FakeNomadCluster}. */
final class FakeNomadJob {
  /** The one group. */
  static final String GROUP = "bot";

  /** The task that is the bot. */
  static final String TASK = "bot";

  /** A task that runs beside it, by its {@code lifecycle}. */
  static final String SIDECAR = "agent";

  final String id;
  final Map<String, String> meta;
  final Optional<String> token;
  final boolean sidecar;
  final long createIndex;

  /** One at least, the oldest first. */
  final List<FakeNomadAllocation> allocations = new ArrayList<>();

  long modifyIndex;
  boolean stopped;

  /** A replacement for which no node has room. */
  boolean queued;

  FakeNomadJob(
      String id,
      Map<String, String> meta,
      Optional<String> token,
      boolean sidecar,
      long createIndex) {
    this.id = id;
    this.meta = meta;
    this.token = token;
    this.sidecar = sidecar;
    this.createIndex = createIndex;
    this.modifyIndex = createIndex;
  }

  boolean ended() {
    return !queued && allocations.stream().allMatch(FakeNomadAllocation::ended);
  }

  /** A stopped job is dead for the servers while its task may still be exiting. */
  String status() {
    if (stopped || ended()) {
      return "dead";
    }
    return allocations.stream().allMatch(FakeNomadAllocation::ended) ? "pending" : "running";
  }

  /** What a listing has of a job. */
  Map<String, Object> stub(String namespace, boolean withMeta) {
    Map<String, Integer> group = new LinkedHashMap<>();
    for (String count :
        List.of("Queued", "Complete", "Failed", "Running", "Starting", "Lost", "Unknown")) {
      group.put(
          count,
          (int)
              allocations.stream()
                  .filter(each -> count.equalsIgnoreCase(each.clientStatus(stopped)))
                  .count());
    }
    group.put("Queued", queued ? 1 : 0);
    Map<String, Object> stub = described(namespace);
    stub.put(
        "JobSummary", Map.of("JobID", id, "Namespace", namespace, "Summary", Map.of(GROUP, group)));
    if (withMeta) {
      stub.put("Meta", meta);
    }
    return stub;
  }

  /** The whole job, which has its tasks and no summary. */
  Map<String, Object> whole(String namespace) {
    List<Map<String, Object>> tasks = new ArrayList<>();
    if (sidecar) {
      tasks.add(
          Map.of(
              "Name",
              SIDECAR,
              "Leader",
              false,
              "Lifecycle",
              Map.of("Hook", "prestart", "Sidecar", true)));
    }
    tasks.add(Map.of("Name", TASK, "Leader", false, "Lifecycle", NullNode.getInstance()));
    Map<String, Object> job = described(namespace);
    job.put("TaskGroups", List.of(Map.of("Name", GROUP, "Count", 1, "Tasks", tasks)));
    job.put("Meta", meta);
    return job;
  }

  /** In no order: here the newest comes first. */
  List<Map<String, Object>> allocationStubs() {
    return allocations.reversed().stream()
        .map(allocation -> allocation.stub(id, stopped, sidecar))
        .toList();
  }

  private Map<String, Object> described(String namespace) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("ID", id);
    described.put("ParentID", id.substring(0, id.indexOf("/dispatch-")));
    described.put("Name", id);
    described.put("Namespace", namespace);
    described.put("Type", "batch");
    described.put("Status", status());
    described.put("Stop", stopped);
    described.put("CreateIndex", createIndex);
    described.put("ModifyIndex", modifyIndex);
    return described;
  }
}

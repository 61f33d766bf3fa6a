package io.convoke.fakes.orchestrator.kubernetes;

import io.convoke.fakes.orchestrator.FakeWorkload;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One pod as it is now; guarded by the {@link FakeKubernetesCluster}. Its first container runs the
 * workload; the others run until the pod is ended.
 */
final class FakePod {
  private static final String STARTED = "2026-01-01T00:00:00Z";

  final String name;
  final String uid = UUID.randomUUID().toString();
  final JsonNode manifest;
  long resourceVersion;
  boolean deleting;
  boolean nodeDead;

  /** When it should have ended, once it is being deleted. */
  Instant deletion = Instant.EPOCH;

  boolean unreachable;
  @Nullable Integer exitCode;

  /** Whether containers beside the workload's run; the pod runs on with them. */
  boolean othersRun;

  String terminatedReason = "";
  String podReason = "";
  @Nullable FakeWorkload workload;

  FakePod(String name, JsonNode manifest) {
    this.name = name;
    this.manifest = manifest;
    this.othersRun = containers().size() > 1;
  }

  String label(String key) {
    return manifest.path("metadata").path("labels").path(key).asString("");
  }

  /** The secret that its one variable comes from. */
  String secret() {
    return container()
        .path("env")
        .path(0)
        .path("valueFrom")
        .path("secretKeyRef")
        .path("name")
        .asString("");
  }

  String phase() {
    Integer code = exitCode;
    if (unreachable) {
      return "Unknown";
    }
    if (code != null && !othersRun) {
      return code == 0 ? "Succeeded" : "Failed";
    }
    return workload == null ? "Pending" : "Running";
  }

  /** Whether its workload has ended. */
  boolean ended() {
    return exitCode != null;
  }

  /** The names of its containers, as the manifest orders them. */
  List<String> containers() {
    return manifest
        .path("spec")
        .path("containers")
        .valueStream()
        .map(container -> container.path("name").asString(""))
        .toList();
  }

  /** Its API object. */
  Map<String, Object> document() {
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("name", name);
    metadata.put("uid", uid);
    metadata.put("resourceVersion", Long.toString(resourceVersion));
    metadata.put("labels", manifest.path("metadata").path("labels"));
    if (deleting) {
      metadata.put("deletionTimestamp", deletion.toString());
    }
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("phase", phase());
    if (!podReason.isEmpty()) {
      status.put("reason", podReason);
    }
    // A kubelet sorts them by name.
    status.put("containerStatuses", containers().stream().sorted().map(this::status).toList());
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "Pod",
        "metadata",
        metadata,
        "spec",
        manifest.path("spec"),
        "status",
        status);
  }

  private Map<String, Object> status(String container) {
    Map<String, Object> state =
        container.equals(containers().getFirst()) ? state() : stateOfOthers();
    return Map.of(
        "name",
        container,
        "ready",
        state.containsKey("running"),
        "restartCount",
        0,
        "state",
        state);
  }

  private Map<String, Object> stateOfOthers() {
    return othersRun
        ? Map.of("running", Map.of("startedAt", STARTED))
        : Map.of("terminated", Map.of("exitCode", 0, "reason", "Completed"));
  }

  private Map<String, Object> state() {
    Integer code = exitCode;
    if (code != null) {
      return Map.of(
          "terminated",
          Map.of(
              "exitCode",
              code,
              "reason",
              terminatedReason.isEmpty() ? (code == 0 ? "Completed" : "Error") : terminatedReason));
    }
    return workload == null
        ? Map.of("waiting", Map.of("reason", "CreateContainerConfigError"))
        : Map.of("running", Map.of("startedAt", STARTED));
  }

  private JsonNode container() {
    return manifest.path("spec").path("containers").path(0);
  }
}

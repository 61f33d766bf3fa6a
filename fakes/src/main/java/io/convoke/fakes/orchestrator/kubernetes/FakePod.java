package io.convoke.fakes.orchestrator.kubernetes;

import io.convoke.fakes.orchestrator.FakeWorkload;
import java.time.Instant;
import java.util.ArrayList;
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
  String terminatedMessage = "";
  String podReason = "";
  String podMessage = "";

  /** Why it is about to be deleted, if a disruption is the cause. */
  String disruption = "";

  PodObstacle obstacle = PodObstacle.NONE;

  /** Whether the kubelet of its node did not admit it: no container of it has a status. */
  boolean rejected;

  @Nullable FakeWorkload workload;

  /** What keeps the containers of a pod from starting, besides a missing secret. */
  enum PodObstacle {
    NONE,
    /** The scheduler finds no node for it. */
    NO_NODE,
    /** Its image cannot be pulled. */
    NO_IMAGE
  }

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
    if (rejected) {
      return "Failed";
    }
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

  /** Whether it has a node, and its workload has not started. */
  boolean waits() {
    return workload == null && !ended() && !rejected && obstacle != PodObstacle.NO_NODE;
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
    if (!podMessage.isEmpty()) {
      status.put("message", podMessage);
    }
    status.put("conditions", conditions());
    if (obstacle != PodObstacle.NO_NODE && !rejected) {
      // A kubelet sorts them by name.
      status.put("containerStatuses", containers().stream().sorted().map(this::status).toList());
    }
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

  private List<Map<String, Object>> conditions() {
    List<Map<String, Object>> conditions = new ArrayList<>();
    conditions.add(
        obstacle == PodObstacle.NO_NODE && !rejected
            ? Map.of(
                "type",
                "PodScheduled",
                "status",
                "False",
                "reason",
                "Unschedulable",
                "message",
                "0/3 nodes are available: 3 Insufficient memory.")
            : Map.of("type", "PodScheduled", "status", "True"));
    if (!disruption.isEmpty()) {
      conditions.add(
          Map.of(
              "type",
              "DisruptionTarget",
              "status",
              "True",
              "reason",
              disruption,
              "message",
              "Eviction API: evicting"));
    }
    return conditions;
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
              terminatedReason.isEmpty() ? (code == 0 ? "Completed" : "Error") : terminatedReason,
              "message",
              terminatedMessage));
    }
    return workload == null
        ? Map.of("waiting", waiting())
        : Map.of("running", Map.of("startedAt", STARTED));
  }

  /** A kubelet says why a container waits only while it is to start it. */
  private Map<String, Object> waiting() {
    if (deleting) {
      return Map.of("reason", "ContainerCreating");
    }
    return obstacle == PodObstacle.NO_IMAGE
        ? Map.of(
            "reason",
            "ImagePullBackOff",
            "message",
            "Back-off pulling image \"" + container().path("image").asString("") + "\"")
        : Map.of(
            "reason",
            "CreateContainerConfigError",
            "message",
            "secret \"" + secret() + "\" not found");
  }

  private JsonNode container() {
    return manifest.path("spec").path("containers").path(0);
  }
}

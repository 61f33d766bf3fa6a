package io.convoke.fakes.orchestrator.kubernetes;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeWorkload;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** The state behind the API: pods, secrets, one history of changes, and a kubelet. */
final class FakeKubernetesCluster {
  private final String script;
  private final Map<String, FakePod> pods = new LinkedHashMap<>();
  private final Map<String, JsonNode> secrets = new LinkedHashMap<>();
  private final List<PodChange> history = new ArrayList<>();
  private long version = 100;
  private Optional<FakeApiError> quota = Optional.empty();
  private FakePod.PodObstacle obstacle = FakePod.PodObstacle.NONE;

  /** Changes up to this one are compacted away. */
  private long oldest = 100;

  FakeKubernetesCluster(String script) {
    this.script = script;
  }

  /** One change of one pod, with the document of that time. */
  record PodChange(long version, String type, FakePod pod, Map<String, Object> document) {}

  synchronized Map<String, Object> create(JsonNode manifest) {
    if (quota.isPresent()) {
      throw quota.get();
    }
    String name = manifest.path("metadata").path("name").asString();
    if (pods.containsKey(name)) {
      throw new FakeApiError(409, "AlreadyExists", "pods \"" + name + "\" already exists");
    }
    FakePod fakePod = new FakePod(name, manifest);
    fakePod.obstacle = obstacle;
    pods.put(name, fakePod);
    changed(fakePod, "ADDED");
    runIfReady(fakePod);
    return fakePod.document();
  }

  synchronized Map<String, Object> createSecret(JsonNode manifest) {
    String name = manifest.path("metadata").path("name").asString();
    if (secrets.putIfAbsent(name, manifest) != null) {
      throw new FakeApiError(409, "AlreadyExists", "secrets \"" + name + "\" already exists");
    }
    pods.values().forEach(this::runIfReady);
    collect();
    return Map.of("apiVersion", "v1", "kind", "Secret", "metadata", Map.of("name", name));
  }

  synchronized Map<String, Object> get(String name) {
    return find(name).document();
  }

  synchronized Map<String, Object> list(Predicate<FakePod> fits) {
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "PodList",
        "metadata",
        Map.of("resourceVersion", Long.toString(version)),
        "items",
        pods.values().stream().filter(fits).map(FakePod::document).toList());
  }

  /** The changes after a version; waits for one and is empty after a timeout. */
  synchronized List<PodChange> after(long seen, Duration atMost) throws InterruptedException {
    if (seen < oldest) {
      throw new FakeApiError(410, "Expired", "too old resource version: " + seen);
    }
    long deadline = System.nanoTime() + atMost.toNanos();
    while (version <= seen) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return List.of();
      }
      wait(Math.max(1, left / 1_000_000));
    }
    return history.stream().filter(podChange -> podChange.version() > seen).toList();
  }

  synchronized Map<String, Object> delete(
      String name, Optional<String> uid, Optional<Long> graceSeconds) {
    FakePod fakePod = find(name);
    if (uid.isPresent() && !uid.get().equals(fakePod.uid)) {
      throw new FakeApiError(409, "Conflict", "the UID in the precondition does not match");
    }
    long grace =
        graceSeconds.orElse(
            fakePod.manifest.path("spec").path("terminationGracePeriodSeconds").asLong(30));
    FakeWorkload fakeWorkload = fakePod.workload;
    if (!fakePod.deleting) {
      fakePod.deletion = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(grace);
    }
    fakePod.deleting = true;
    if (fakePod.nodeDead && grace > 0) {
      // The phase stays, and no kubelet confirms the end.
      changed(fakePod, "MODIFIED");
      return fakePod.document();
    }
    fakePod.othersRun = false;
    if (fakePod.ended() || fakeWorkload == null || grace == 0) {
      if (fakeWorkload != null) {
        fakeWorkload.kill();
      } else if (fakePod.waits() && grace > 0) {
        // A kubelet confirms the end of a container that never ran.
        changed(fakePod, "MODIFIED");
        fakePod.exitCode = 137;
        fakePod.terminatedReason = "ContainerStatusUnknown";
        changed(fakePod, "MODIFIED");
      }
      remove(fakePod);
    } else {
      changed(fakePod, "MODIFIED");
      fakeWorkload.terminate();
      Thread _ =
          Thread.ofVirtual()
              .start(() -> killLater(fakePod, fakeWorkload, Duration.ofSeconds(grace)));
    }
    return fakePod.document();
  }

  synchronized String log(String name, Optional<String> container, int tailLines) {
    FakePod fakePod = find(name);
    List<String> containers = fakePod.containers();
    if (container.isEmpty() && containers.size() > 1) {
      throw new FakeApiError(
          400,
          "BadRequest",
          "a container name must be specified for pod "
              + name
              + ", choose one of: ["
              + String.join(" ", containers)
              + "]");
    }
    String chosen = container.orElse(containers.getFirst());
    if (!containers.contains(chosen)) {
      throw new FakeApiError(
          400, "BadRequest", "container " + chosen + " is not valid for pod " + name);
    }
    if (!chosen.equals(containers.getFirst())) {
      return chosen + " runs";
    }
    FakeWorkload fakeWorkload = fakePod.workload;
    if (fakeWorkload == null && fakePod.ended()) {
      return "";
    }
    if (fakeWorkload == null) {
      throw FakeApiError.blameless(
          400, "BadRequest", "container \"bot\" in pod \"" + name + "\" is waiting to start");
    }
    List<String> lines = fakeWorkload.printed().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - tailLines), lines.size()));
  }

  synchronized void outOfMemory(String name) {
    FakePod fakePod = find(name);
    fakePod.terminatedReason = "OOMKilled";
    FakeWorkload fakeWorkload = fakePod.workload;
    if (fakeWorkload != null) {
      fakeWorkload.kill();
    }
  }

  synchronized void evict(String name) {
    FakePod fakePod = find(name);
    fakePod.podReason = "Evicted";
    fakePod.podMessage = "The node was low on resource: memory.";
    fakePod.othersRun = false;
    FakeWorkload fakeWorkload = fakePod.workload;
    if (fakeWorkload != null) {
      fakeWorkload.kill();
    }
  }

  /** Evicts a pod by the API, as a drain of its node does: it is deleted with its own grace. */
  synchronized void drain(String name) {
    FakePod fakePod = find(name);
    fakePod.disruption = "EvictionByEvictionAPI";
    changed(fakePod, "MODIFIED");
    var _ = delete(name, Optional.empty(), Optional.empty());
  }

  /** What keeps pods that are created from now on from starting. */
  synchronized void obstacle(FakePod.PodObstacle next) {
    obstacle = next;
  }

  /** A pod gets a node whose kubelet has no room for it, and fails. */
  synchronized void reject(String name) {
    FakePod fakePod = find(name);
    fakePod.rejected = true;
    fakePod.podReason = "OutOfcpu";
    fakePod.podMessage =
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 500, used: 3800,"
            + " capacity: 4000";
    changed(fakePod, "MODIFIED");
  }

  /** The runtime cannot start the container of a pod that waits. */
  synchronized void failStart(String name) {
    FakePod fakePod = find(name);
    fakePod.exitCode = 128;
    fakePod.terminatedReason = "StartError";
    fakePod.terminatedMessage = "failed to create containerd task:\nno such file: bot";
    changed(fakePod, "MODIFIED");
  }

  synchronized void unreachable(String name, boolean so) {
    FakePod fakePod = find(name);
    fakePod.unreachable = so;
    changed(fakePod, "MODIFIED");
  }

  /**
   * The node of a pod dies, and the control plane deletes the pod: it stays Running, and so does
   * its container, which may come back with the node.
   */
  synchronized void nodeDies(String name, Instant end) {
    FakePod fakePod = find(name);
    fakePod.nodeDead = true;
    fakePod.deleting = true;
    fakePod.deletion = end;
    changed(fakePod, "MODIFIED");
  }

  /** A quota of the namespace refuses more pods. */
  synchronized void quota(Optional<FakeApiError> refusal) {
    quota = refusal;
  }

  /** Drops the history, as a compaction does, and advances one version. */
  synchronized void compact() {
    version++;
    oldest = version;
    history.clear();
    notifyAll();
  }

  synchronized String phase(String name) {
    return find(name).phase();
  }

  synchronized int pods() {
    return pods.size();
  }

  synchronized int secrets() {
    return secrets.size();
  }

  synchronized void killAll() {
    for (FakePod fakePod : pods.values()) {
      FakeWorkload fakeWorkload = fakePod.workload;
      if (fakeWorkload != null) {
        fakeWorkload.kill();
      }
    }
  }

  private FakePod find(String name) {
    FakePod fakePod = pods.get(name);
    if (fakePod == null) {
      throw new FakeApiError(404, "NotFound", "pods \"" + name + "\" not found");
    }
    return fakePod;
  }

  /** The kubelet starts a container once its secret exists. */
  private void runIfReady(FakePod fakePod) {
    JsonNode secret = secrets.get(fakePod.secret());
    if (fakePod.workload == null
        && secret != null
        && !fakePod.deleting
        && fakePod.obstacle == FakePod.PodObstacle.NONE) {
      String config = secret.path("stringData").path("BOT_CONFIG").asString("");
      fakePod.workload = FakeWorkload.start(script, config, code -> ended(fakePod, code));
      changed(fakePod, "MODIFIED");
    }
  }

  private synchronized void ended(FakePod fakePod, int code) {
    fakePod.exitCode = code;
    if (pods.get(fakePod.name) == fakePod) {
      changed(fakePod, "MODIFIED");
      if (fakePod.deleting) {
        remove(fakePod);
      }
    }
    notifyAll();
  }

  private synchronized void killLater(FakePod fakePod, FakeWorkload fakeWorkload, Duration grace) {
    long deadline = System.nanoTime() + grace.toNanos();
    try {
      while (!fakePod.ended()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          fakeWorkload.kill();
          return;
        }
        wait(Math.max(1, left / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void remove(FakePod fakePod) {
    if (pods.remove(fakePod.name, fakePod)) {
      changed(fakePod, "DELETED");
      collect();
    }
  }

  /** Deletes secrets with the pods that own them. */
  private void collect() {
    secrets
        .values()
        .removeIf(
            secret -> {
              JsonNode owners = secret.path("metadata").path("ownerReferences");
              return !owners.isEmpty()
                  && owners
                      .valueStream()
                      .noneMatch(
                          owner ->
                              pods.values().stream()
                                  .anyMatch(
                                      fakePod ->
                                          fakePod.uid.equals(owner.path("uid").asString(""))));
            });
  }

  private void changed(FakePod fakePod, String type) {
    fakePod.resourceVersion = ++version;
    history.add(new PodChange(version, type, fakePod, fakePod.document()));
    notifyAll();
  }
}

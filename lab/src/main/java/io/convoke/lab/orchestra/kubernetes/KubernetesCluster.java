package io.convoke.lab.orchestra.kubernetes;

import io.convoke.lab.orchestra.Refusal;
import io.convoke.lab.orchestra.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** The state behind the API: pods, secrets, one history of changes, and a kubelet. */
final class KubernetesCluster {
  private final String script;
  private final Map<String, Pod> pods = new LinkedHashMap<>();
  private final Map<String, JsonNode> secrets = new LinkedHashMap<>();
  private final List<Change> history = new ArrayList<>();
  private long version = 100;

  /** Changes up to this one are compacted away. */
  private long oldest = 100;

  KubernetesCluster(String script) {
    this.script = script;
  }

  /** One change of one pod; the document is as it was then. */
  record Change(long version, String type, Pod pod, Map<String, Object> document) {}

  synchronized Map<String, Object> create(JsonNode manifest) {
    String name = manifest.path("metadata").path("name").asString();
    if (pods.containsKey(name)) {
      throw new Refusal(409, "AlreadyExists", "pods \"" + name + "\" already exists");
    }
    Pod pod = new Pod(name, manifest);
    pods.put(name, pod);
    changed(pod, "ADDED");
    runIfReady(pod);
    return pod.document();
  }

  synchronized Map<String, Object> createSecret(JsonNode manifest) {
    String name = manifest.path("metadata").path("name").asString();
    if (secrets.putIfAbsent(name, manifest) != null) {
      throw new Refusal(409, "AlreadyExists", "secrets \"" + name + "\" already exists");
    }
    pods.values().forEach(this::runIfReady);
    collect();
    return Map.of("apiVersion", "v1", "kind", "Secret", "metadata", Map.of("name", name));
  }

  synchronized Map<String, Object> get(String name) {
    return find(name).document();
  }

  synchronized Map<String, Object> list(Predicate<Pod> fits) {
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "PodList",
        "metadata",
        Map.of("resourceVersion", Long.toString(version)),
        "items",
        pods.values().stream().filter(fits).map(Pod::document).toList());
  }

  /** The changes after a version, waiting for one; empty when the time is over. */
  synchronized List<Change> after(long seen, Duration atMost) throws InterruptedException {
    if (seen < oldest) {
      throw new Refusal(410, "Expired", "too old resource version: " + seen);
    }
    long deadline = System.nanoTime() + atMost.toNanos();
    while (version <= seen) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return List.of();
      }
      wait(Math.max(1, left / 1_000_000));
    }
    return history.stream().filter(change -> change.version() > seen).toList();
  }

  synchronized Map<String, Object> delete(
      String name, Optional<String> uid, Optional<Long> graceSeconds) {
    Pod pod = find(name);
    if (uid.isPresent() && !uid.get().equals(pod.uid)) {
      throw new Refusal(409, "Conflict", "the UID in the precondition does not match");
    }
    long grace =
        graceSeconds.orElse(
            pod.manifest.path("spec").path("terminationGracePeriodSeconds").asLong(30));
    Workload workload = pod.workload;
    pod.deleting = true;
    if (pod.ended() || workload == null || grace == 0) {
      if (workload != null) {
        workload.kill();
      }
      remove(pod);
    } else {
      changed(pod, "MODIFIED");
      workload.terminate();
      Thread _ =
          Thread.ofVirtual().start(() -> killLater(pod, workload, Duration.ofSeconds(grace)));
    }
    return pod.document();
  }

  synchronized String log(String name, int tailLines) {
    Workload workload = find(name).workload;
    if (workload == null) {
      throw Refusal.blameless(
          400, "BadRequest", "container \"bot\" in pod \"" + name + "\" is waiting to start");
    }
    List<String> lines = workload.printed().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - tailLines), lines.size()));
  }

  synchronized void outOfMemory(String name) {
    Pod pod = find(name);
    pod.terminatedReason = "OOMKilled";
    Workload workload = pod.workload;
    if (workload != null) {
      workload.kill();
    }
  }

  synchronized void evict(String name) {
    Pod pod = find(name);
    pod.podReason = "Evicted";
    Workload workload = pod.workload;
    if (workload != null) {
      workload.kill();
    }
  }

  synchronized void unreachable(String name, boolean so) {
    Pod pod = find(name);
    pod.unreachable = so;
    changed(pod, "MODIFIED");
  }

  /** Forgets the history, as a compaction does, and moves on by one version. */
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
    for (Pod pod : pods.values()) {
      Workload workload = pod.workload;
      if (workload != null) {
        workload.kill();
      }
    }
  }

  private Pod find(String name) {
    Pod pod = pods.get(name);
    if (pod == null) {
      throw new Refusal(404, "NotFound", "pods \"" + name + "\" not found");
    }
    return pod;
  }

  /** The kubelet starts a container once its secret is there. */
  private void runIfReady(Pod pod) {
    JsonNode secret = secrets.get(pod.secret());
    if (pod.workload == null && secret != null && !pod.deleting) {
      String config = secret.path("stringData").path("BOT_CONFIG").asString("");
      pod.workload = Workload.start(script, config, code -> ended(pod, code));
      changed(pod, "MODIFIED");
    }
  }

  private synchronized void ended(Pod pod, int code) {
    pod.exitCode = code;
    if (pods.get(pod.name) == pod) {
      changed(pod, "MODIFIED");
      if (pod.deleting) {
        remove(pod);
      }
    }
    notifyAll();
  }

  private synchronized void killLater(Pod pod, Workload workload, Duration grace) {
    long deadline = System.nanoTime() + grace.toNanos();
    try {
      while (!pod.ended()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          workload.kill();
          return;
        }
        wait(Math.max(1, left / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void remove(Pod pod) {
    if (pods.remove(pod.name, pod)) {
      changed(pod, "DELETED");
      collect();
    }
  }

  /** Secrets go with the pods that own them. */
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
                                  .anyMatch(pod -> pod.uid.equals(owner.path("uid").asString(""))));
            });
  }

  private void changed(Pod pod, String type) {
    pod.resourceVersion = ++version;
    history.add(new Change(version, type, pod, pod.document()));
    notifyAll();
  }
}

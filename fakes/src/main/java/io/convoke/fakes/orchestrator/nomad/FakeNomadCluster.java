package io.convoke.fakes.orchestrator.nomad;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeWorkload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;

/** The state behind the API: dispatched jobs, their tasks, and one increasing index. */
final class FakeNomadCluster {
  private final String script;
  private final Set<String> metaKeys;
  private final Duration killTimeout;
  private final Map<String, FakeNomadJob> children = new LinkedHashMap<>();
  private final Set<String> required = new TreeSet<>();
  private long index = 10;

  FakeNomadCluster(String script, Set<String> metaKeys, Duration killTimeout) {
    this.script = script;
    this.metaKeys = metaKeys;
    this.killTimeout = killTimeout;
  }

  /** The result of a dispatch; a repeated one has no evaluation of its own. */
  record NomadDispatchReply(String id, long index, boolean fresh) {}

  synchronized NomadDispatchReply dispatch(
      String parent, Map<String, String> meta, Optional<String> token) {
    Set<String> unpermitted = new TreeSet<>(meta.keySet());
    unpermitted.removeAll(metaKeys);
    if (!unpermitted.isEmpty()) {
      throw new FakeApiError(
          500, "Dispatch request included unpermitted metadata keys: " + unpermitted);
    }
    Set<String> missing = new TreeSet<>(required);
    missing.removeAll(meta.keySet());
    if (!missing.isEmpty()) {
      throw new FakeApiError(500, "Dispatch did not provide required meta keys: " + missing);
    }
    for (FakeNomadJob fakeNomadJob : children.values()) {
      if (token.isPresent() && fakeNomadJob.token.equals(token)) {
        return new NomadDispatchReply(fakeNomadJob.id, fakeNomadJob.modifyIndex, false);
      }
    }
    String id = parent + "/dispatch-1700000000-" + UUID.randomUUID().toString().substring(0, 8);
    FakeNomadJob fakeNomadJob =
        new FakeNomadJob(id, UUID.randomUUID().toString(), meta, token, ++index);
    children.put(id, fakeNomadJob);
    fakeNomadJob.workload =
        FakeWorkload.start(
            script, meta.getOrDefault("BOT_CONFIG", ""), code -> ended(fakeNomadJob, code));
    notifyAll();
    return new NomadDispatchReply(id, index, true);
  }

  synchronized void require(String metaKey) {
    required.add(metaKey);
  }

  /** Waits until the index has passed the given one, or the wait time is over. */
  synchronized long await(long seen, Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (index <= seen) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        break;
      }
      wait(Math.max(1, left / 1_000_000));
    }
    return index;
  }

  synchronized List<Map<String, Object>> stubs(String prefix, String namespace, boolean meta) {
    List<Map<String, Object>> stubs = new ArrayList<>();
    for (FakeNomadJob fakeNomadJob : children.values()) {
      if (fakeNomadJob.id.startsWith(prefix)) {
        stubs.add(fakeNomadJob.stub(namespace, meta));
      }
    }
    return stubs;
  }

  synchronized Map<String, Object> job(String id, String namespace) {
    return find(id).stub(namespace, true);
  }

  synchronized List<Map<String, Object>> allocations(String id) {
    return children.containsKey(id) ? List.of(find(id).allocationStub()) : List.of();
  }

  /** Signals the task, as for a deregistered job, and kills it after the kill timeout. */
  synchronized long deregister(String id) {
    FakeNomadJob fakeNomadJob = find(id);
    if (!fakeNomadJob.stopped) {
      fakeNomadJob.stopped = true;
      touched(fakeNomadJob);
      FakeWorkload fakeWorkload = fakeNomadJob.workload;
      if (fakeWorkload != null && !fakeNomadJob.ended()) {
        fakeWorkload.terminate();
        Thread _ = Thread.ofVirtual().start(() -> killLater(fakeNomadJob));
      }
    }
    return index;
  }

  synchronized void signal(String allocation, String signal) {
    FakeNomadJob fakeNomadJob =
        children.values().stream()
            .filter(each -> each.allocation.equals(allocation))
            .findFirst()
            .orElseThrow(() -> new FakeApiError(404, "alloc not found"));
    FakeWorkload fakeWorkload = fakeNomadJob.workload;
    if (fakeWorkload == null || fakeNomadJob.ended()) {
      throw new FakeApiError(500, "Task not running");
    }
    switch (signal) {
      case "SIGTERM" -> fakeWorkload.terminate();
      case "SIGKILL" -> fakeWorkload.kill();
      default -> throw new FakeApiError(500, "unknown signal " + signal);
    }
  }

  synchronized String printed(String allocation) {
    return children.values().stream()
        .filter(each -> each.allocation.equals(allocation))
        .map(each -> each.workload)
        .filter(java.util.Objects::nonNull)
        .findFirst()
        .map(FakeWorkload::printed)
        .orElseThrow(() -> new FakeApiError(404, "alloc not found"));
  }

  /** Loses the node of a job: its task reports nothing any more. */
  synchronized void lose(String id) {
    FakeNomadJob fakeNomadJob = find(id);
    fakeNomadJob.lost = true;
    touched(fakeNomadJob);
  }

  /** The kernel kills a task for its memory. */
  synchronized void outOfMemory(String id) {
    FakeNomadJob fakeNomadJob = find(id);
    fakeNomadJob.outOfMemory = true;
    FakeWorkload fakeWorkload = fakeNomadJob.workload;
    if (fakeWorkload != null) {
      fakeWorkload.kill();
    }
  }

  /** Removes ended jobs, as the garbage collection does. */
  synchronized void collect() {
    if (children.values().removeIf(FakeNomadJob::ended)) {
      index++;
      notifyAll();
    }
  }

  synchronized int count(Predicate<Map<String, String>> meta) {
    return (int)
        children.values().stream().filter(fakeNomadJob -> meta.test(fakeNomadJob.meta)).count();
  }

  synchronized void killAll() {
    for (FakeNomadJob fakeNomadJob : children.values()) {
      FakeWorkload fakeWorkload = fakeNomadJob.workload;
      if (fakeWorkload != null) {
        fakeWorkload.kill();
      }
    }
  }

  private FakeNomadJob find(String id) {
    FakeNomadJob fakeNomadJob = children.get(id);
    if (fakeNomadJob == null) {
      throw new FakeApiError(404, "job not found");
    }
    return fakeNomadJob;
  }

  private synchronized void ended(FakeNomadJob fakeNomadJob, int code) {
    if (!fakeNomadJob.lost) {
      fakeNomadJob.exitCode = code;
      touched(fakeNomadJob);
    }
  }

  private synchronized void killLater(FakeNomadJob fakeNomadJob) {
    long deadline = System.nanoTime() + killTimeout.toNanos();
    try {
      while (!fakeNomadJob.ended()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          FakeWorkload fakeWorkload = fakeNomadJob.workload;
          if (fakeWorkload != null) {
            fakeWorkload.kill();
          }
          return;
        }
        wait(Math.max(1, left / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void touched(FakeNomadJob fakeNomadJob) {
    fakeNomadJob.modifyIndex = ++index;
    notifyAll();
  }
}

package io.convoke.lab.orchestra.nomad;

import io.convoke.lab.orchestra.Refusal;
import io.convoke.lab.orchestra.Workload;
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

/** The state behind the API: dispatched jobs, their tasks, and one index that only grows. */
final class NomadCluster {
  private final String script;
  private final Set<String> metaKeys;
  private final Duration killTimeout;
  private final Map<String, Child> children = new LinkedHashMap<>();
  private long index = 10;

  NomadCluster(String script, Set<String> metaKeys, Duration killTimeout) {
    this.script = script;
    this.metaKeys = metaKeys;
    this.killTimeout = killTimeout;
  }

  /** What a dispatch came to; a repeated one has no evaluation of its own. */
  record Dispatched(String id, long index, boolean fresh) {}

  synchronized Dispatched dispatch(
      String parent, Map<String, String> meta, Optional<String> token) {
    Set<String> unpermitted = new TreeSet<>(meta.keySet());
    unpermitted.removeAll(metaKeys);
    if (!unpermitted.isEmpty()) {
      throw new Refusal(500, "Dispatch request included unpermitted metadata keys: " + unpermitted);
    }
    for (Child child : children.values()) {
      if (token.isPresent() && child.token.equals(token)) {
        return new Dispatched(child.id, child.modifyIndex, false);
      }
    }
    String id = parent + "/dispatch-1700000000-" + UUID.randomUUID().toString().substring(0, 8);
    Child child = new Child(id, UUID.randomUUID().toString(), meta, token, ++index);
    children.put(id, child);
    child.workload =
        Workload.start(script, meta.getOrDefault("BOT_CONFIG", ""), code -> ended(child, code));
    notifyAll();
    return new Dispatched(id, index, true);
  }

  /** Waits until the index has passed the given one, or the time is over. */
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
    for (Child child : children.values()) {
      if (child.id.startsWith(prefix)) {
        stubs.add(child.stub(namespace, meta));
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

  /** Asks the task to end, as a deregistered job's is, and ends it after the kill timeout. */
  synchronized long deregister(String id) {
    Child child = find(id);
    if (!child.stopped) {
      child.stopped = true;
      touched(child);
      Workload workload = child.workload;
      if (workload != null && !child.ended()) {
        workload.terminate();
        Thread _ = Thread.ofVirtual().start(() -> killLater(child));
      }
    }
    return index;
  }

  synchronized void signal(String allocation, String signal) {
    Child child =
        children.values().stream()
            .filter(each -> each.allocation.equals(allocation))
            .findFirst()
            .orElseThrow(() -> new Refusal(404, "alloc not found"));
    Workload workload = child.workload;
    if (workload == null || child.ended()) {
      throw new Refusal(500, "Task not running");
    }
    switch (signal) {
      case "SIGTERM" -> workload.terminate();
      case "SIGKILL" -> workload.kill();
      default -> throw new Refusal(500, "unknown signal " + signal);
    }
  }

  synchronized String printed(String allocation) {
    return children.values().stream()
        .filter(each -> each.allocation.equals(allocation))
        .map(each -> each.workload)
        .filter(java.util.Objects::nonNull)
        .findFirst()
        .map(Workload::printed)
        .orElseThrow(() -> new Refusal(404, "alloc not found"));
  }

  /** The node of a job is lost: its task reports nothing any more. */
  synchronized void lose(String id) {
    Child child = find(id);
    child.lost = true;
    touched(child);
  }

  /** The kernel ends a task for its memory. */
  synchronized void outOfMemory(String id) {
    Child child = find(id);
    child.outOfMemory = true;
    Workload workload = child.workload;
    if (workload != null) {
      workload.kill();
    }
  }

  /** Forgets ended jobs, as the garbage collection does. */
  synchronized void collect() {
    if (children.values().removeIf(Child::ended)) {
      index++;
      notifyAll();
    }
  }

  synchronized int count(Predicate<Map<String, String>> meta) {
    return (int) children.values().stream().filter(child -> meta.test(child.meta)).count();
  }

  synchronized void killAll() {
    for (Child child : children.values()) {
      Workload workload = child.workload;
      if (workload != null) {
        workload.kill();
      }
    }
  }

  private Child find(String id) {
    Child child = children.get(id);
    if (child == null) {
      throw new Refusal(404, "job not found");
    }
    return child;
  }

  private synchronized void ended(Child child, int code) {
    if (!child.lost) {
      child.exitCode = code;
      touched(child);
    }
  }

  private synchronized void killLater(Child child) {
    long deadline = System.nanoTime() + killTimeout.toNanos();
    try {
      while (!child.ended()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          Workload workload = child.workload;
          if (workload != null) {
            workload.kill();
          }
          return;
        }
        wait(Math.max(1, left / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void touched(Child child) {
    child.modifyIndex = ++index;
    notifyAll();
  }
}

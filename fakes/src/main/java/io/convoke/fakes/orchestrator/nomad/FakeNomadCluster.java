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
  private boolean sidecar;
  private Optional<String> driverError = Optional.empty();

  /** Of the one parameterized job; a table that had no row yet has index 0. */
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
    FakeNomadJob fakeNomadJob = new FakeNomadJob(id, meta, token, sidecar, ++index);
    children.put(id, fakeNomadJob);
    place(fakeNomadJob);
    return new NomadDispatchReply(id, fakeNomadJob.createIndex, true);
  }

  /** No job was registered yet, until {@link #register}. */
  synchronized void unregister() {
    index = 0;
  }

  /** Registers the one parameterized job. */
  synchronized void register() {
    index = 10;
    notifyAll();
  }

  /** Whether there is the one parameterized job. */
  synchronized boolean registered() {
    return index > 0;
  }

  /** Later jobs have a second task, which runs beside the bot. */
  synchronized void addSidecar() {
    sidecar = true;
  }

  /** The driver can start no further task. */
  synchronized void failDriver(String error) {
    driverError = Optional.of(error);
  }

  synchronized void require(String metaKey) {
    required.add(metaKey);
  }

  /**
   * Waits until the index has passed the given one, or the wait time is over; a query for index 0
   * does not wait.
   */
  synchronized long await(long seen, Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (seen > 0 && index <= seen) {
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
    return find(id).whole(namespace);
  }

  synchronized List<Map<String, Object>> allocations(String id) {
    return children.containsKey(id) ? find(id).allocationStubs() : List.of();
  }

  /**
   * Signals the tasks, as for a deregistered job, and kills them after the kill timeout. A job that
   * is not there is no error.
   */
  synchronized long deregister(String id) {
    FakeNomadJob fakeNomadJob = children.get(id);
    if (fakeNomadJob == null) {
      return 0;
    }
    if (!fakeNomadJob.stopped) {
      fakeNomadJob.stopped = true;
      fakeNomadJob.queued = false;
      for (FakeNomadAllocation allocation : fakeNomadJob.allocations) {
        FakeWorkload fakeWorkload = allocation.workload;
        if (fakeWorkload != null && !allocation.ended() && !allocation.outOfTouch()) {
          fakeWorkload.terminate();
          Thread _ = Thread.ofVirtual().start(() -> killLater(allocation));
        }
      }
      touched(fakeNomadJob, fakeNomadJob.allocations.getLast());
    }
    return index;
  }

  synchronized void signal(String id, String signal) {
    FakeNomadAllocation allocation = reached(id);
    FakeWorkload fakeWorkload = allocation.workload;
    if (fakeWorkload == null || allocation.ended()) {
      throw new FakeApiError(500, "Task not running");
    }
    switch (signal) {
      case "SIGTERM" -> fakeWorkload.terminate();
      case "SIGKILL" -> fakeWorkload.kill();
      default -> throw new FakeApiError(500, "unknown signal " + signal);
    }
  }

  /** What a task wrote to its standard output. */
  synchronized String printed(String id, String task) {
    FakeNomadAllocation allocation = reached(id);
    if (task.equals(FakeNomadJob.SIDECAR) && sidecar) {
      return "a line of the sidecar\n";
    }
    if (!task.equals(FakeNomadJob.TASK)) {
      throw new FakeApiError(400, "unknown task name \"" + task + "\"");
    }
    FakeWorkload fakeWorkload = allocation.workload;
    if (fakeWorkload == null) {
      throw new FakeApiError(404, "task \"" + task + "\" not started yet. No logs available");
    }
    return fakeWorkload.printed();
  }

  /**
   * The node of a job misses its heartbeats. Without a {@code disconnect} block its allocation is
   * lost and replaced at once, whatever the {@code reschedule} block says; on the node the task may
   * run on.
   *
   * @param roomElsewhere whether another node takes the replacement, or it waits for one
   */
  synchronized void lose(String id, boolean roomElsewhere) {
    FakeNomadJob fakeNomadJob = find(id);
    FakeNomadAllocation lost = fakeNomadJob.allocations.getLast();
    lost.lost = true;
    touched(fakeNomadJob, lost);
    if (roomElsewhere) {
      place(fakeNomadJob);
    } else {
      fakeNomadJob.queued = true;
    }
  }

  /** As {@link #lose}, of a job with {@code disconnect { replace = false }}. */
  synchronized void disconnect(String id) {
    FakeNomadJob fakeNomadJob = find(id);
    FakeNomadAllocation unknown = fakeNomadJob.allocations.getLast();
    unknown.unknown = true;
    touched(fakeNomadJob, unknown);
  }

  /** The kernel kills a job's task for its memory. */
  synchronized void outOfMemory(String id) {
    FakeNomadAllocation allocation = find(id).allocations.getLast();
    allocation.outOfMemory = true;
    FakeWorkload fakeWorkload = allocation.workload;
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
      for (FakeNomadAllocation allocation : fakeNomadJob.allocations) {
        FakeWorkload fakeWorkload = allocation.workload;
        if (fakeWorkload != null) {
          fakeWorkload.kill();
        }
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

  /** An allocation whose node the servers reach. */
  private FakeNomadAllocation reached(String id) {
    FakeNomadAllocation found =
        children.values().stream()
            .flatMap(fakeNomadJob -> fakeNomadJob.allocations.stream())
            .filter(each -> each.id.equals(id))
            .findFirst()
            .orElseThrow(() -> new FakeApiError(404, "Unknown allocation \"" + id + "\""));
    if (found.outOfTouch()) {
      throw new FakeApiError(404, "No path to node");
    }
    return found;
  }

  /** Starts a job's tasks on a node. */
  private void place(FakeNomadJob fakeNomadJob) {
    FakeNomadAllocation allocation = new FakeNomadAllocation(++index);
    fakeNomadJob.allocations.add(allocation);
    if (driverError.isPresent()) {
      allocation.driverError = driverError.orElseThrow();
    } else {
      allocation.workload =
          FakeWorkload.start(
              script,
              fakeNomadJob.meta.getOrDefault("BOT_CONFIG", ""),
              code -> ended(fakeNomadJob, allocation, code));
    }
    touched(fakeNomadJob, allocation);
  }

  private synchronized void ended(
      FakeNomadJob fakeNomadJob, FakeNomadAllocation allocation, int code) {
    if (!allocation.outOfTouch()) {
      allocation.exitCode = code;
      touched(fakeNomadJob, allocation);
    }
  }

  private synchronized void killLater(FakeNomadAllocation allocation) {
    long deadline = System.nanoTime() + killTimeout.toNanos();
    try {
      while (!allocation.ended()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          FakeWorkload fakeWorkload = allocation.workload;
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

  private void touched(FakeNomadJob fakeNomadJob, FakeNomadAllocation allocation) {
    allocation.modifyIndex = ++index;
    fakeNomadJob.modifyIndex = index;
    notifyAll();
  }
}

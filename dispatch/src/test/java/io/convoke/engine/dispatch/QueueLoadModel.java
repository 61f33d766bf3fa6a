package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Simulates arriving tasks of one second and pods with slots on the Lua scripts with a manual
 * clock; sweeps run as a maintainer runs them.
 */
final class QueueLoadModel {
  private static final int STEP_MS = 100;
  private static final int TICK_MS = 500;
  private static final int TASK_MS = 1000;

  private final DispatchTestKit dispatchTestKit;
  private final List<Arrivals> arrivals = new ArrayList<>();
  private final Map<Arrivals, Integer> arrived = new HashMap<>();
  private final List<Server> servers = new ArrayList<>();
  private final Map<String, Integer> since = new LinkedHashMap<>();
  private final Map<String, Integer> waited = new HashMap<>();
  private List<String> types = List.of("snapshot");
  private int clock;

  /**
   * Tasks of a region, or of none.
   *
   * @param burst how many come at the start
   * @param perSecond how many follow in each second
   */
  record Arrivals(String region, IntFunction<String> channel, int burst, int perSecond) {
    String prefix() {
      return region.isEmpty() ? "global" : region;
    }
  }

  /** A pod and when its slots become free. */
  private record Server(PodId name, int slots, Map<TaskLeaseRef, Integer> ends) {}

  QueueLoadModel(DispatchTestKit dispatchTestKit) {
    this.dispatchTestKit = dispatchTestKit;
  }

  void types(List<String> some) {
    types = some;
  }

  void arrive(Arrivals some) {
    arrivals.add(some);
    arrived.put(some, 0);
  }

  void serve(PodId pod, int slots) {
    servers.add(new Server(pod, slots, new LinkedHashMap<>()));
  }

  /** Submits tasks for so long, and then waits until none is left. */
  void run(Duration span) {
    while (clock < span.toMillis() || since.size() > waited.size()) {
      if (clock < span.toMillis()) {
        arrivals.forEach(this::arriveNow);
      }
      servers.forEach(this::work);
      if (clock % TICK_MS == 0) {
        sweep();
      }
      clock += STEP_MS;
      dispatchTestKit.pass(Duration.ofMillis(STEP_MS));
    }
  }

  private void arriveNow(Arrivals some) {
    int until = some.burst() + some.perSecond() * clock / 1000;
    List<EnqueueRequest> fresh = new ArrayList<>();
    for (int i = arrived.getOrDefault(some, 0); i < until; i++) {
      String id = some.prefix() + "-" + i;
      fresh.add(
          EnqueueRequest.of(
              new NewTask(
                  id,
                  id,
                  types.get(i % types.size()),
                  "start",
                  some.channel().apply(i),
                  Optional.of(some.region()).filter(name -> !name.isEmpty()),
                  Json.mapper().createObjectNode(),
                  false,
                  Optional.empty())));
      since.put(id, clock);
    }
    if (!fresh.isEmpty()) {
      List<Optional<EnqueueResult>> _ = dispatchTestKit.run(dispatchTestKit.scripts.enqueue(fresh));
      arrived.put(some, until);
    }
  }

  private void work(Server server) {
    List<TaskLeaseRef> over =
        server.ends().entrySet().stream()
            .filter(end -> end.getValue() <= clock)
            .map(Map.Entry::getKey)
            .toList();
    if (!over.isEmpty()) {
      List<TransitionResult> _ =
          dispatchTestKit.run(dispatchTestKit.scripts.complete(server.name().id(), over));
      over.forEach(taskLeaseRef -> server.ends().remove(taskLeaseRef));
    }
    List<Integer> free = new ArrayList<>();
    for (int slot = 0; slot < server.slots() - server.ends().size(); slot++) {
      free.add(slot);
    }
    if (free.isEmpty()) {
      return;
    }
    ClaimResult claimResult =
        dispatchTestKit.run(
            dispatchTestKit.scripts.claim(
                server.name(), server.slots(), free, PodCapacity.COUNT_ONLY, 1));
    for (Task task : claimResult.tasks()) {
      server.ends().put(new TaskLeaseRef(task.id(), task.fence()), clock + TASK_MS);
      waited.put(task.id(), clock - since.getOrDefault(task.id(), clock));
    }
  }

  private void sweep() {
    SweepResult _ = dispatchTestKit.run(dispatchTestKit.scripts.expire(500));
    SweepResult _ = dispatchTestKit.run(dispatchTestKit.scripts.overflow(500));
    dispatchTestKit.moves().stream()
        .filter(taskTransition -> taskTransition.state() == TaskState.TIMEOUT)
        .forEach(taskTransition -> waited.put(taskTransition.id(), Integer.MAX_VALUE));
    long _ =
        dispatchTestKit.redis.call(
            commands -> commands.xtrim(dispatchTestKit.keySpace.outbox(), 0));
  }

  List<String> timedOut() {
    return waited.entrySet().stream()
        .filter(wait -> wait.getValue() == Integer.MAX_VALUE)
        .map(Map.Entry::getKey)
        .toList();
  }

  Duration longestWait() {
    return longestWaitOf("");
  }

  /** Of tasks with this id prefix. */
  Duration longestWaitOf(String prefix) {
    return Duration.ofMillis(
        waited.entrySet().stream()
            .filter(wait -> wait.getKey().startsWith(prefix))
            .mapToInt(Map.Entry::getValue)
            .max()
            .orElseThrow());
  }
}

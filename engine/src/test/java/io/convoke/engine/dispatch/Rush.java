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
 * Tasks of one second that arrive at given rates, and pods with slots, on the functions of dispatch
 * and a clock that the test moves; the sweeps run as a server with the role would run them.
 */
final class Rush {
  private static final int STEP_MS = 100;
  private static final int TICK_MS = 500;
  private static final int TASK_MS = 1000;

  private final Kit kit;
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

  /** A pod and what its slots run until when. */
  private record Server(PodName name, int slots, Map<Held, Integer> ends) {}

  Rush(Kit kit) {
    this.kit = kit;
  }

  void types(List<String> some) {
    types = some;
  }

  void arrive(Arrivals some) {
    arrivals.add(some);
    arrived.put(some, 0);
  }

  void serve(PodName pod, int slots) {
    servers.add(new Server(pod, slots, new LinkedHashMap<>()));
  }

  /** Lets tasks arrive for so long, and then waits until none is left. */
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
      kit.pass(Duration.ofMillis(STEP_MS));
    }
  }

  private void arriveNow(Arrivals some) {
    int until = some.burst() + some.perSecond() * clock / 1000;
    List<Arrival> fresh = new ArrayList<>();
    for (int i = arrived.getOrDefault(some, 0); i < until; i++) {
      String id = some.prefix() + "-" + i;
      fresh.add(
          Arrival.of(
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
      List<Optional<Enqueued>> _ = kit.run(kit.functions.enqueue(fresh));
      arrived.put(some, until);
    }
  }

  private void work(Server server) {
    List<Held> over =
        server.ends().entrySet().stream()
            .filter(end -> end.getValue() <= clock)
            .map(Map.Entry::getKey)
            .toList();
    if (!over.isEmpty()) {
      List<Word> _ = kit.run(kit.functions.complete(server.name().id(), over));
      over.forEach(held -> server.ends().remove(held));
    }
    List<Integer> free = new ArrayList<>();
    for (int slot = 0; slot < server.slots() - server.ends().size(); slot++) {
      free.add(slot);
    }
    if (free.isEmpty()) {
      return;
    }
    Claimed claimed =
        kit.run(kit.functions.claim(server.name(), server.slots(), free, Capacity.COUNT_ONLY, 1));
    for (Task task : claimed.tasks()) {
      server.ends().put(new Held(task.id(), task.fence()), clock + TASK_MS);
      waited.put(task.id(), clock - since.getOrDefault(task.id(), clock));
    }
  }

  private void sweep() {
    Swept _ = kit.run(kit.functions.expire(500));
    Swept _ = kit.run(kit.functions.overflow(500));
    kit.moves().stream()
        .filter(move -> move.state() == TaskState.TIMEOUT)
        .forEach(move -> waited.put(move.id(), Integer.MAX_VALUE));
    long _ = kit.redis.call(commands -> commands.xtrim(kit.place.outbox(), 0));
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

  /** Of those whose ids begin so. */
  Duration longestWaitOf(String prefix) {
    return Duration.ofMillis(
        waited.entrySet().stream()
            .filter(wait -> wait.getKey().startsWith(prefix))
            .mapToInt(Map.Entry::getValue)
            .max()
            .orElseThrow());
  }
}

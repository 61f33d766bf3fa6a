package io.convoke.simulator.daily;

import io.convoke.simulator.observe.ObservationAwaiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** Counts requests by route and status; keeps the latest ones in full. */
public final class RequestLog {

  private static final int REMEMBERED = 10_000;

  private final Deque<RequestRecord> recent = new ArrayDeque<>();
  private final Map<String, Map<Integer, Long>> counts = new TreeMap<>();
  private final Map<String, Long> arrived = new TreeMap<>();
  private final ObservationAwaiter<RequestRecord> observationAwaiter =
      new ObservationAwaiter<>(this::recent);
  private long answered;

  /** The latest requests, oldest first. */
  public synchronized List<RequestRecord> recent() {
    return new ArrayList<>(recent);
  }

  /** Answered requests by route and status. */
  public synchronized Map<String, Map<Integer, Long>> counts() {
    Map<String, Map<Integer, Long>> copy = new TreeMap<>();
    counts.forEach((route, statuses) -> copy.put(route, new TreeMap<>(statuses)));
    return copy;
  }

  /** Answered requests of one route, such as {@code GET /v1/rooms/{name}/presence}. */
  public synchronized long count(String route) {
    return counts.getOrDefault(route, Map.of()).values().stream().mapToLong(n -> n).sum();
  }

  /** Waits for a matching request; the latest ones count too. */
  public RequestRecord await(Predicate<? super RequestRecord> wanted, Duration timeout)
      throws TimeoutException {
    return observationAwaiter.await(wanted, timeout);
  }

  /** Says how manieth request of its route this is. */
  synchronized long arrive(String route) {
    return arrived.merge(route, 1L, Long::sum);
  }

  void answered(Instant at, String route, String target, int status, Duration took) {
    RequestRecord record;
    synchronized (this) {
      record = new RequestRecord(++answered, at, route, target, status, took);
      recent.addLast(record);
      if (recent.size() > REMEMBERED) {
        recent.removeFirst();
      }
      counts.computeIfAbsent(route, r -> new TreeMap<>()).merge(status, 1L, Long::sum);
    }
    observationAwaiter.emit(record);
  }
}

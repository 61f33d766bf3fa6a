package io.convoke.simulator.daily;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Daily's budgets for one domain, each a sliding window. */
final class DailyRateLimiter {

  /** What a request counts against. */
  enum DailyRateLimitBudget {
    GENERAL(100, Duration.ofSeconds(5)),
    /** Listing recordings, and deleting rooms or recordings. */
    SLOW(50, Duration.ofSeconds(30)),
    /** Starting a recording. */
    START(5, Duration.ofSeconds(5));

    private final int limit;
    private final Duration window;

    DailyRateLimitBudget(int limit, Duration window) {
      this.limit = limit;
      this.window = window;
    }

    static DailyRateLimitBudget of(String route) {
      if (route.endsWith("/recordings/start")) {
        return START;
      }
      boolean slow =
          route.equals("GET /v1/recordings")
              || route.equals("DELETE /v1/rooms/{name}")
              || route.equals("DELETE /v1/recordings/{id}");
      return slow ? SLOW : GENERAL;
    }
  }

  private final Map<DailyRateLimitBudget, Deque<Instant>> spent =
      new EnumMap<>(DailyRateLimitBudget.class);

  /** Spends one request; when the budget is exhausted, returns the time until the next one. */
  synchronized Optional<Duration> spend(DailyRateLimitBudget dailyRateLimitBudget, Instant now) {
    Deque<Instant> window =
        spent.computeIfAbsent(dailyRateLimitBudget, b -> new ArrayDeque<>(b.limit));
    while (!window.isEmpty() && !window.getFirst().plus(dailyRateLimitBudget.window).isAfter(now)) {
      window.removeFirst();
    }
    if (window.size() >= dailyRateLimitBudget.limit) {
      return Optional.of(
          Duration.between(now, window.getFirst().plus(dailyRateLimitBudget.window)));
    }
    window.addLast(now);
    return Optional.empty();
  }
}

package io.convoke.server.presence;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.server.http.HealthChecks;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Health and gauges of presence: backlog, last tick, webhook, rate limit. Read on demand, with one
 * Redis call per scrape. The numbers are those of the whole fleet, the same on every node.
 */
final class PresenceHealth {
  private static final LuaScript HEALTH = LuaScript.resource(PresenceHealth.class, "health.lua");

  /** How long a reading is cached; it serves all gauges of a scrape. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  /**
   * Due meetings whose pending events are counted; with more of them the count is a lower bound.
   */
  private static final int COUNTED = 100;

  private final Redis redis;
  private final PlatformKeys keys;
  private final PresenceConfig terms;
  private final ApiBudget budget;
  private final String prefix;
  private @Nullable PresenceHealthReading last;
  private long lastNanos;

  PresenceHealth(
      Redis redis,
      PlatformKeys keys,
      ApiBudget budget,
      PresenceConfig terms,
      MeterRegistry registry) {
    this.redis = redis;
    this.keys = keys;
    this.terms = terms;
    this.budget = budget;
    this.prefix =
        keys.equals(PlatformKeys.DAILY)
            ? "convoke.presence."
            : "convoke.presence." + keys.platform() + ".";
    gauge(
        registry,
        "tick.age.seconds",
        it -> it.tickAge().map(PresenceHealth::seconds).orElse(Double.NaN));
    gauge(registry, "due.age.seconds", it -> seconds(it.overdue()));
    gauge(registry, "ready", PresenceHealthReading::queued);
    gauge(registry, "evidence", PresenceHealthReading::evidence);
    gauge(registry, "unrouted", PresenceHealthReading::unrouted);
    gauge(registry, "rooms", PresenceHealthReading::rooms);
    gauge(registry, "budget.left", PresenceHealthReading::callsLeft);
    gauge(registry, "budget.frozen.seconds", it -> seconds(it.frozen()));
    for (WebhookState state : WebhookState.values()) {
      Gauge.builder(prefix + "webhook.state", this, it -> it.is(state))
          .tag("state", state.text())
          .register(registry);
    }
  }

  /**
   * One reading from Redis.
   *
   * @param queued meetings that are due now or later
   * @param overdue how long the oldest due meeting has been due
   * @param evidence events of due meetings that no worker has committed yet
   * @param unrouted events of unknown rooms, and dead letters
   * @param rooms with live meetings
   * @param tickAge since the last reconciliation tick; empty before the first
   * @param callsLeft calls that the rate limiter would grant at once
   */
  record PresenceHealthReading(
      long queued,
      Duration overdue,
      long evidence,
      long unrouted,
      long rooms,
      Optional<Duration> tickAge,
      WebhookState webhook,
      long callsLeft,
      Duration frozen) {}

  /** The current reading, cached for {@link #FRESH}; empty while Redis is unreachable. */
  synchronized Optional<PresenceHealthReading> now() {
    long nanos = System.nanoTime();
    if (last == null || nanos - lastNanos > FRESH.toNanos()) {
      last = read().orElse(null);
      lastNanos = nanos;
    }
    return Optional.ofNullable(last);
  }

  /** For {@code /readyz}: at worst degraded, because the API also works without the platform. */
  HealthChecks.HealthReading health() {
    Optional<PresenceHealthReading> reading = now();
    if (reading.isEmpty()) {
      return HealthChecks.HealthReading.degraded(
          "Redis is unreachable; polls use the due list in Postgres");
    }
    List<String> faults = faults(reading.get(), terms);
    return faults.isEmpty()
        ? HealthChecks.HealthReading.ok()
        : HealthChecks.HealthReading.degraded(String.join("; ", faults));
  }

  /** The problems to report to the operator. */
  static List<String> faults(PresenceHealthReading presenceHealthReading, PresenceConfig terms) {
    List<String> faults = new ArrayList<>();
    Duration patience = terms.tickPeriod().multipliedBy(2);
    if (presenceHealthReading.rooms() > 0 && presenceHealthReading.tickAge().isEmpty()) {
      faults.add("no reconciliation tick yet");
    }
    presenceHealthReading
        .tickAge()
        .filter(age -> presenceHealthReading.rooms() > 0 && age.compareTo(patience) > 0)
        .ifPresent(age -> faults.add("the last tick was " + age.toSeconds() + " s ago"));
    if (presenceHealthReading.overdue().compareTo(terms.freshnessBound()) > 0) {
      faults.add(
          "a meeting has been due for " + presenceHealthReading.overdue().toSeconds() + " s");
    }
    if (!presenceHealthReading.webhook().healthy()) {
      faults.add(presenceHealthReading.webhook().advice());
    }
    return faults;
  }

  private Optional<PresenceHealthReading> read() {
    if (!redis.available()) {
      return Optional.empty();
    }
    try {
      Object answer =
          redis.eval(
              HEALTH,
              List.of(
                  keys.of(PresenceKeys.READY),
                  keys.of(PresenceKeys.ROOMS),
                  keys.of(PresenceKeys.UNROUTED),
                  keys.of(PresenceKeys.LAST_TICK),
                  keys.of(PresenceKeys.WEBHOOK),
                  budget.key()),
              List.of(
                  Integer.toString(budget.rate()),
                  Integer.toString(budget.burst()),
                  Integer.toString(COUNTED)));
      return answer instanceof List<?> fields ? Optional.of(reading(fields)) : Optional.empty();
    } catch (RedisUnavailable away) {
      return Optional.empty();
    }
  }

  private static PresenceHealthReading reading(List<?> fields) {
    long tick = number(fields, 5);
    return new PresenceHealthReading(
        number(fields, 0),
        Duration.ofMillis(Math.max(0, number(fields, 1))),
        number(fields, 2),
        number(fields, 3),
        number(fields, 4),
        tick < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(tick)),
        WebhookState.of(String.valueOf(fields.get(6))),
        number(fields, 7),
        Duration.ofMillis(number(fields, 8)));
  }

  private static long number(List<?> fields, int index) {
    return fields.get(index) instanceof Long number ? number : 0;
  }

  private void gauge(
      MeterRegistry registry, String name, ToDoubleFunction<PresenceHealthReading> value) {
    Gauge.builder(prefix + name, this, it -> it.now().map(value::applyAsDouble).orElse(Double.NaN))
        .register(registry);
  }

  private double is(WebhookState state) {
    return now().map(it -> it.webhook() == state ? 1.0 : 0.0).orElse(Double.NaN);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}

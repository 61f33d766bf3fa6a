package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.presence.PresenceHealth.PresenceHealthReading;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Presence in metrics and in /readyz. */
class PresenceHealthTest {
  private static final PresenceConfig TERMS = PresenceConfig.of(ServerConfig.of(Map.of()));
  private final PresenceTestKit kit = new PresenceTestKit();

  @AfterEach
  void close() {
    kit.close();
  }

  /** A new reading, not the cached one. */
  private PresenceHealth vitals() {
    return new PresenceHealth(
        kit.redis, PlatformKeys.DAILY, ApiBudget.DAILY, TERMS, new SimpleMeterRegistry());
  }

  private static PresenceHealthReading reading(
      long rooms, Optional<Duration> tickAge, Duration overdue, WebhookState webhook) {
    return new PresenceHealthReading(1, overdue, 0, 0, rooms, tickAge, webhook, 60, Duration.ZERO);
  }

  private static PresenceHealthReading well(long rooms, Duration tickAge) {
    return reading(rooms, Optional.of(tickAge), Duration.ZERO, WebhookState.ACTIVE);
  }

  @Test
  void aTickIsMissedAfterTwoPeriodsWhileMeetingsAreLive() {
    assertThat(PresenceHealth.faults(well(1, Duration.ofSeconds(30)), TERMS)).isEmpty();
    assertThat(PresenceHealth.faults(well(1, Duration.ofSeconds(31)), TERMS))
        .containsExactly("the last tick was 31 s ago");
    assertThat(PresenceHealth.faults(well(0, Duration.ofDays(1)), TERMS)).isEmpty();
    assertThat(
            PresenceHealth.faults(
                reading(1, Optional.empty(), Duration.ZERO, WebhookState.UNKNOWN), TERMS))
        .containsExactly("no reconciliation tick yet");
  }

  @Test
  void aMeetingThatIsDueForLongerThanTheBoundAndABrokenWebhookAreNamed() {
    Optional<Duration> now = Optional.of(Duration.ZERO);
    assertThat(
            PresenceHealth.faults(
                reading(1, now, TERMS.freshnessBound(), WebhookState.ACTIVE), TERMS))
        .isEmpty();
    assertThat(
            PresenceHealth.faults(
                reading(1, now, TERMS.freshnessBound().plusSeconds(1), WebhookState.FAILED), TERMS))
        .containsExactly(
            "a meeting has been due for 46 s", "the platform stopped sending webhooks");
  }

  @Test
  void oneCallReadsTheBacklogTheTickTheWebhookAndTheBudget() {
    List<String> time = kit.redis.call(commands -> commands.time());
    long now = Long.parseLong(time.getFirst()) * 1000;
    long _ =
        kit.redis.call(
            commands -> commands.zadd(PresenceKeys.READY, (double) (now - 60_000), "42"));
    long _ =
        kit.redis.call(
            commands -> commands.zadd(PresenceKeys.READY, (double) (now + 60_000), "43"));
    long _ = kit.redis.call(commands -> commands.rpush(PresenceKeys.evidence(42), "a", "b"));
    long _ = kit.redis.call(commands -> commands.rpush(PresenceKeys.UNROUTED, "c"));
    long _ =
        kit.redis.call(commands -> commands.hset(PresenceKeys.ROOMS, Map.of("x", "42", "y", "43")));
    long _ =
        kit.redis.call(
            commands ->
                commands.hset(PresenceKeys.LAST_TICK, Map.of("at", Long.toString(now - 7000))));
    long _ =
        kit.redis.call(commands -> commands.hset(PresenceKeys.WEBHOOK, Map.of("state", "silent")));
    RedisRateLimiter budget = new RedisRateLimiter(kit.redis, ApiBudget.DAILY);
    assertThat(budget.tryAcquire()).isEmpty();

    PresenceHealthReading presenceHealthReading = vitals().now().orElseThrow();
    assertThat(presenceHealthReading.queued()).isEqualTo(2);
    assertThat(presenceHealthReading.overdue())
        .isBetween(Duration.ofSeconds(60), Duration.ofSeconds(70));
    assertThat(presenceHealthReading.evidence()).isEqualTo(2);
    assertThat(presenceHealthReading.unrouted()).isEqualTo(1);
    assertThat(presenceHealthReading.rooms()).isEqualTo(2);
    assertThat(presenceHealthReading.tickAge().orElseThrow())
        .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(17));
    assertThat(presenceHealthReading.webhook()).isEqualTo(WebhookState.SILENT);
    assertThat(presenceHealthReading.callsLeft()).isBetween(59L, 60L);
    assertThat(presenceHealthReading.frozen()).isZero();

    budget.freeze(Duration.ofMinutes(1));
    PresenceHealthReading frozen = vitals().now().orElseThrow();
    assertThat(frozen.frozen()).isGreaterThan(Duration.ofSeconds(50));
    assertThat(frozen.callsLeft()).isZero();
  }

  @Test
  void aWorkingNodeIsHealthyInItsMetrics() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting("room");
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
    }
    long _ = kit.redis.call(commands -> commands.del(PresenceKeys.TICK_LOCK));
    assertThat(node.presence().reconciler().tickIfDue()).contains(true);

    assertThat(node.presence().health()).isEqualTo(HealthChecks.HealthReading.ok());
    assertThat(kit.get(node, "/metrics").body())
        .contains("convoke_presence_rooms 1.0")
        .contains("convoke_presence_unrouted 0.0")
        .contains("convoke_presence_due_age_seconds 0.0")
        .contains("convoke_presence_webhook_state{state=\"unknown\"} 1.0")
        .contains("convoke_presence_webhook_state{state=\"failed\"} 0.0")
        .containsPattern("convoke_presence_tick_age_seconds [0-9]")
        .containsPattern("convoke_presence_budget_left [1-9]");
  }

  @Test
  void withoutRedisPresenceIsDegradedAndMetricsStillAnswer() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    kit.redisServer.stop();
    while (node.redis().available()) {
      LockSupport.parkNanos(10_000_000);
    }
    PresenceHealth fresh =
        new PresenceHealth(
            node.redis(), PlatformKeys.DAILY, ApiBudget.DAILY, TERMS, new SimpleMeterRegistry());
    assertThat(fresh.health().status()).isEqualTo(HealthChecks.HealthStatus.DEGRADED);
    assertThat(kit.get(node, "/metrics").statusCode()).isEqualTo(200);
    kit.redisServer.restart();
  }
}

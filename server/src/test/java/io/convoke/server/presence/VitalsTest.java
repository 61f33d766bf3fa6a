package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.signal.Signal.Observation;
import io.convoke.server.http.Health;
import io.convoke.server.presence.PresenceKit.Node;
import io.convoke.server.presence.PresenceSignals.Ended;
import io.convoke.server.presence.Vitals.Reading;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of presence, in metrics and in /readyz. */
class VitalsTest {
  private static final PresenceTerms TERMS = PresenceTerms.defaults();
  private final PresenceKit kit = new PresenceKit();

  @AfterEach
  void close() {
    kit.close();
  }

  /** As of now, not as of a moment ago. */
  private Vitals vitals() {
    return new Vitals(kit.redis, TERMS, "daily", new SimpleMeterRegistry());
  }

  private static Reading reading(
      long rooms, Optional<Duration> tickAge, Duration overdue, WebhookState webhook) {
    return new Reading(1, overdue, 0, 0, rooms, tickAge, webhook, 60, Duration.ZERO);
  }

  private static Reading well(long rooms, Duration tickAge) {
    return reading(rooms, Optional.of(tickAge), Duration.ZERO, WebhookState.ACTIVE);
  }

  @Test
  void aTickIsMissedAfterTwoPeriodsWhileMeetingsAreLive() {
    assertThat(Vitals.faults(well(1, Duration.ofSeconds(30)), TERMS)).isEmpty();
    assertThat(Vitals.faults(well(1, Duration.ofSeconds(31)), TERMS))
        .containsExactly("the last tick was 31 s ago");
    assertThat(Vitals.faults(well(0, Duration.ofDays(1)), TERMS)).isEmpty();
    assertThat(
            Vitals.faults(reading(1, Optional.empty(), Duration.ZERO, WebhookState.UNKNOWN), TERMS))
        .containsExactly("no reconciliation tick yet");
  }

  @Test
  void aMeetingThatIsDueForLongerThanTheBoundAndABrokenWebhookAreNamed() {
    Optional<Duration> now = Optional.of(Duration.ZERO);
    assertThat(Vitals.faults(reading(1, now, TERMS.freshnessBound(), WebhookState.ACTIVE), TERMS))
        .isEmpty();
    assertThat(
            Vitals.faults(
                reading(1, now, TERMS.freshnessBound().plusSeconds(1), WebhookState.FAILED), TERMS))
        .containsExactly(
            "a meeting has been due for 46 s", "the platform stopped sending webhooks");
  }

  @Test
  void oneCallReadsTheBacklogTheTickTheWebhookAndTheBudget() {
    List<String> time = kit.redis.call(commands -> commands.time());
    long now = Long.parseLong(time.getFirst()) * 1000;
    long _ = kit.redis.call(commands -> commands.zadd(Keys.READY, (double) (now - 60_000), "42"));
    long _ = kit.redis.call(commands -> commands.zadd(Keys.READY, (double) (now + 60_000), "43"));
    long _ = kit.redis.call(commands -> commands.rpush(Keys.evidence(42), "a", "b"));
    long _ = kit.redis.call(commands -> commands.rpush(Keys.UNROUTED, "c"));
    long _ = kit.redis.call(commands -> commands.hset(Keys.ROOMS, Map.of("x", "42", "y", "43")));
    long _ =
        kit.redis.call(
            commands -> commands.hset(Keys.TICKED, Map.of("at", Long.toString(now - 7000))));
    long _ = kit.redis.call(commands -> commands.hset(Keys.WEBHOOK, Map.of("state", "silent")));
    RedisBudget budget = new RedisBudget(kit.redis, "daily");
    assertThat(budget.take()).isEmpty();

    Reading reading = vitals().now().orElseThrow();
    assertThat(reading.queued()).isEqualTo(2);
    assertThat(reading.overdue()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(70));
    assertThat(reading.evidence()).isEqualTo(2);
    assertThat(reading.unrouted()).isEqualTo(1);
    assertThat(reading.rooms()).isEqualTo(2);
    assertThat(reading.tickAge().orElseThrow())
        .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(17));
    assertThat(reading.webhook()).isEqualTo(WebhookState.SILENT);
    assertThat(reading.callsLeft()).isBetween(59L, 60L);
    assertThat(reading.frozen()).isZero();

    budget.freeze(Duration.ofMinutes(1));
    Reading frozen = vitals().now().orElseThrow();
    assertThat(frozen.frozen()).isGreaterThan(Duration.ofSeconds(50));
    assertThat(frozen.callsLeft()).isZero();
  }

  @Test
  void aNodeThatWorksIsWellAndItsMetricsSaySo() throws Exception {
    Node node = kit.node(PresenceKit.quick());
    try (Observation<Ended> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting("room");
      Ended _ = PresenceKit.polled(ended, meeting);
    }
    long _ = kit.redis.call(commands -> commands.del(Keys.TICK_LOCK));
    assertThat(node.presence().reconciler().tickIfDue()).contains(true);

    assertThat(node.presence().health()).isEqualTo(Health.Reading.ok());
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
  void withRedisAwayPresenceIsDegradedAndMetricsStillAnswer() throws Exception {
    Node node = kit.node(PresenceKit.quick());
    kit.redisServer.stop();
    while (node.redis().available()) {
      Thread.onSpinWait();
    }
    Vitals fresh = new Vitals(node.redis(), TERMS, "daily", new SimpleMeterRegistry());
    assertThat(fresh.health().status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(kit.get(node, "/metrics").statusCode()).isEqualTo(200);
    kit.redisServer.restart();
  }
}

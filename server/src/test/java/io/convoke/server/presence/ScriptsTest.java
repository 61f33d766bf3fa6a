package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.presence.ReadyQueue.Claim;
import io.convoke.server.presence.ReadyQueue.Ending;
import io.convoke.server.presence.ReadyQueue.Next;
import io.convoke.server.presence.ReadyQueue.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each script on a real Redis: what it promises about flag, lease, evidence and ready queue. */
class ScriptsTest {
  private static final RedisServer server = Stores.forTests().ownRedis();
  private static final Redis redis = Redis.open(server.url());

  private final ReadyQueue node = new ReadyQueue(redis, "node-1", Duration.ZERO);
  private final RoomMap rooms = new RoomMap(redis);
  private final WebhookBuffer buffer = buffer(Duration.ZERO);

  @AfterAll
  static void stop() {
    redis.close();
    server.close();
  }

  @BeforeEach
  void forget() {
    server.flush();
    rooms.add(List.of(new RoomMap.Entry("standup", 42)));
    rooms.declareWhole("generation");
  }

  private static WebhookBuffer buffer(Duration window) {
    PresenceTerms terms = PresenceTerms.defaults();
    return new WebhookBuffer(
        redis,
        new PresenceTerms(
            window,
            terms.minPollInterval(),
            terms.reconcileInterval(),
            terms.mode(),
            terms.processInterval(),
            terms.concurrency()));
  }

  private static PresenceEvent joined(String id, String room) {
    Instant at = Instant.parse("2026-03-02T09:00:00Z");
    return new PresenceEvent(
        id,
        PresenceEvent.Kind.JOINED,
        room,
        "s-" + id,
        Optional.empty(),
        Optional.empty(),
        Optional.of(at),
        at,
        false,
        false);
  }

  private WebhookBuffer.Outcome signal(String id) {
    return signal(buffer, joined(id, "standup"));
  }

  private static WebhookBuffer.Outcome signal(WebhookBuffer to, PresenceEvent event) {
    return to.accept(event);
  }

  private Claim claim() {
    return switch (node.claim()) {
      case Next.Claimed claimed -> claimed.claim();
      case Next.Idle idle -> throw new AssertionError("nothing due: " + idle);
    };
  }

  private static String get(String key) {
    String value = redis.call(commands -> commands.get(key));
    return String.valueOf(value);
  }

  private static long length(String key) {
    return redis.call(commands -> commands.llen(key));
  }

  private static long ttl(String key) {
    return redis.call(commands -> commands.pttl(key));
  }

  private static boolean exists(String key) {
    return redis.call(commands -> commands.exists(key)) == 1;
  }

  @Test
  void aSignalSetsTheFlagWithoutEndAndKeepsTheEvidence() {
    assertThat(signal("e1")).isEqualTo(WebhookBuffer.Outcome.SIGNALLED);

    assertThat(get(Keys.flag(42))).isEqualTo("1");
    assertThat(ttl(Keys.flag(42))).isEqualTo(-1);
    assertThat(length(Keys.evidence(42))).isEqualTo(1);
  }

  @Test
  void aRepeatedEventIsKnown() {
    WebhookBuffer.Outcome _ = signal("e1");
    assertThat(signal("e1")).isEqualTo(WebhookBuffer.Outcome.REPEATED);
    assertThat(length(Keys.evidence(42))).isEqualTo(1);
  }

  @Test
  void aRoomWithSeveralMeetingsSignalsEach() {
    rooms.add(List.of(new RoomMap.Entry("standup", 43)));
    WebhookBuffer.Outcome _ = signal("e1");

    assertThat(exists(Keys.flag(42))).isTrue();
    assertThat(exists(Keys.flag(43))).isTrue();
  }

  @Test
  void anUnknownRoomAndAForgottenMapArePutAside() {
    assertThat(signal(buffer, joined("e1", "elsewhere"))).isEqualTo(WebhookBuffer.Outcome.UNROUTED);
    long _ = redis.call(commands -> commands.del(Keys.GENERATION));
    assertThat(signal("e2")).isEqualTo(WebhookBuffer.Outcome.UNROUTED);
    assertThat(length(Keys.UNROUTED)).isEqualTo(2);
  }

  @Test
  void aClaimTakesLeaseFlagAndEvidenceTogether() {
    WebhookBuffer.Outcome _ = signal("e1");
    Claim claim = claim();

    assertThat(claim.meeting()).isEqualTo(42);
    assertThat(claim.poll()).isTrue();
    assertThat(claim.evidence()).extracting(PresenceEvent::eventId).containsExactly("e1");
    assertThat(claim.trigger()).isEqualTo(Trigger.WEBHOOK);
    assertThat(exists(Keys.flag(42))).isFalse();
    assertThat(get(Keys.pollLock(42))).isEqualTo(claim.token());
    assertThat(ttl(Keys.pollLock(42))).isBetween(100_000L, 120_000L);
  }

  @Test
  void withinTheWindowEvidenceIsClaimedAloneAndTheFlagStays() {
    WebhookBuffer slow = buffer(Duration.ofMinutes(1));
    WebhookBuffer.Outcome _ = signal(slow, joined("e1", "standup"));
    Claim claim = claim();

    assertThat(claim.poll()).isFalse();
    assertThat(claim.evidence()).hasSize(1);
    assertThat(exists(Keys.flag(42))).isTrue();
    assertThat(node.end(claim, new Outcome.Served(Optional.empty()))).isNotEqualTo(Ending.LOST);
    assertThat(exists(Keys.evidence(42))).isFalse();
    assertThat(exists(Keys.flag(42))).isTrue();
    assertThat(node.claim())
        .isInstanceOfSatisfying(
            Next.Idle.class,
            idle ->
                assertThat(idle.nextIn().orElseThrow())
                    .isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60)));
  }

  @Test
  void aDeniedLeaseLeavesTheFlag() {
    String _ = redis.call(commands -> commands.set(Keys.pollLock(42), "a stranger"));
    WebhookBuffer.Outcome _ = signal("e1");

    assertThat(node.claim()).isInstanceOf(Next.Idle.class);
    assertThat(exists(Keys.flag(42))).isTrue();
    assertThat(get(Keys.pollLock(42))).isEqualTo("a stranger");
  }

  @Test
  void whatArrivesDuringThePollMakesTheMeetingDueAgainOnce() {
    WebhookBuffer.Outcome _ = signal("e1");
    Claim claim = claim();
    WebhookBuffer.Outcome _ = signal("e2");
    WebhookBuffer.Outcome _ = signal("e3");
    assertThat(node.claim()).isInstanceOf(Next.Idle.class);

    assertThat(node.end(claim, new Outcome.Served(Optional.empty()))).isEqualTo(Ending.ASKED_AGAIN);
    Claim again = claim();
    assertThat(again.poll()).isTrue();
    assertThat(again.evidence()).extracting(PresenceEvent::eventId).containsExactly("e2", "e3");
    assertThat(again.epoch()).isGreaterThan(claim.epoch());
    assertThat(node.end(again, new Outcome.Served(Optional.empty()))).isNotEqualTo(Ending.LOST);
    assertThat(node.claim()).isEqualTo(new Next.Idle(Optional.empty(), 0));
  }

  @Test
  void aFlagSetByAStrangerDuringThePollIsServedAfterIt() {
    WebhookBuffer.Outcome _ = signal("e1");
    Claim claim = claim();
    String _ = redis.call(commands -> commands.set(Keys.flag(42), "1"));

    assertThat(node.end(claim, new Outcome.Served(Optional.empty()))).isNotEqualTo(Ending.LOST);
    assertThat(claim().poll()).isTrue();
    assertThat(exists(Keys.flag(42))).isFalse();
  }

  @Test
  void aRefusedPollIsNoFailureSoTheNextOneWaitsNoLonger() {
    WebhookBuffer.Outcome _ = signal("e1");
    for (int refusals = 0; refusals < 5; refusals++) {
      Claim claim = claim();
      assertThat(claim.fails()).isZero();
      assertThat(node.end(claim, new Outcome.Refused(Duration.ZERO))).isNotEqualTo(Ending.LOST);
      assertThat(exists(Keys.flag(42))).isTrue();
    }
    assertThat(node.end(claim(), new Outcome.Failed(Duration.ZERO))).isNotEqualTo(Ending.LOST);
    assertThat(claim().fails()).isEqualTo(1);
  }

  @Test
  void aFailedPollPutsTheFlagBackAndWaits() {
    WebhookBuffer.Outcome _ = signal("e1");
    assertThat(node.end(claim(), new Outcome.Failed(Duration.ofMinutes(1))))
        .isNotEqualTo(Ending.LOST);

    assertThat(exists(Keys.flag(42))).isTrue();
    assertThat(exists(Keys.pollLock(42))).isFalse();
    assertThat(node.claim())
        .isInstanceOfSatisfying(
            Next.Idle.class, idle -> assertThat(idle.nextIn().orElseThrow()).isPositive());
    assertThat(get(Keys.flag(42))).isEqualTo("1");
  }

  @Test
  void aConfirmingPollIsDueWithoutAFlag() {
    WebhookBuffer.Outcome _ = signal("e1");
    assertThat(node.end(claim(), new Outcome.Served(Optional.of(Duration.ZERO))))
        .isNotEqualTo(Ending.LOST);
    assertThat(exists(Keys.flag(42))).isFalse();

    Claim confirming = claim();
    assertThat(confirming.poll()).isTrue();
    assertThat(confirming.trigger()).isEqualTo(Trigger.CONFIRM);
  }

  @Test
  void aClaimThatWasTakenOverChangesNothingWhenItEnds() {
    WebhookBuffer.Outcome _ = signal("e1");
    Claim claim = claim();
    String _ = redis.call(commands -> commands.set(Keys.pollLock(42), "somebody else"));

    assertThat(node.end(claim, new Outcome.Served(Optional.empty()))).isEqualTo(Ending.LOST);
    assertThat(get(Keys.pollLock(42))).isEqualTo("somebody else");
    assertThat(length(Keys.evidence(42))).isEqualTo(1);
  }

  @Test
  void theClaimOfANodeThatDiedIsTakenOverAndPolledAlthoughItsFlagIsGone() {
    WebhookBuffer.Outcome _ = signal("e1");
    Claim lost = claim();
    long _ = redis.call(commands -> commands.del(Keys.node("node-1")));
    // What the recheck would bring some seconds later.
    long _ = redis.call(commands -> commands.zadd(Keys.READY, 0, "42"));

    ReadyQueue other = new ReadyQueue(redis, "node-2", Duration.ofMillis(1));
    Next next = other.claim();
    assertThat(next)
        .isInstanceOfSatisfying(
            Next.Claimed.class,
            claimed -> {
              assertThat(claimed.claim().poll()).isTrue();
              assertThat(claimed.claim().evidence()).hasSize(1);
              assertThat(claimed.claim().epoch()).isGreaterThan(lost.epoch());
            });
    assertThat(node.end(lost, new Outcome.Served(Optional.empty()))).isEqualTo(Ending.LOST);
  }

  @Test
  void aClaimWhoseAnswerGotLostIsTakenOverAlthoughItsNodeLives() {
    try (Redis own = Redis.open(server.url())) {
      ReadyQueue deaf = new ReadyQueue(own, "node-1", Duration.ZERO);
      assertThat(deaf.claim()).isInstanceOf(Next.Idle.class);
      WebhookBuffer.Outcome _ = signal("e1");
      server.pause(true);
      assertThatThrownBy(deaf::claim).isInstanceOf(RedisUnavailable.class);
      server.pause(false);
      // Behind the claim, on the same connection.
      String holder = own.call(commands -> commands.get(Keys.pollLock(42)));
      assertThat(holder).startsWith("presence:node-1:");

      // What five seconds of silence and the recheck would bring.
      long _ = redis.call(commands -> commands.del(Keys.node("node-1")));
      long _ = redis.call(commands -> commands.zadd(Keys.READY, 0, "42"));
      assertThat(deaf.claim())
          .isInstanceOfSatisfying(
              Next.Claimed.class, claimed -> assertThat(claimed.claim().evidence()).hasSize(1));
    }
  }

  @Test
  void anEndedMeetingLeavesNothingBehind() {
    WebhookBuffer.Outcome _ = signal("e1");
    assertThat(node.end(claim(), new Outcome.Gone())).isNotEqualTo(Ending.LOST);
    rooms.remove(List.of(new RoomMap.Entry("standup", 42)));

    List<String> left = redis.call(commands -> commands.keys("*42*"));
    assertThat(left).isEmpty();
    assertThat(exists(Keys.ROOMS)).isFalse();
  }

  @Test
  void aRequestedMeetingIsDueOnceHoweverOftenItIsRequested() {
    node.request(Trigger.TIMER, List.of(42L, 42L));
    node.request(Trigger.TIMER, List.of(42L));
    Claim claim = claim();

    assertThat(claim.trigger()).isEqualTo(Trigger.TIMER);
    assertThat(node.end(claim, new Outcome.Served(Optional.empty()))).isNotEqualTo(Ending.LOST);
    assertThat(node.claim()).isEqualTo(new Next.Idle(Optional.empty(), 0));
  }

  @Test
  void aMoveThatSeveralNodesTellOfIsPolledOnce() {
    node.begin(Map.of(42L, 7L));
    assertThat(node.end(claim(), new Outcome.Served(Optional.empty()))).isEqualTo(Ending.DONE);
    node.begin(Map.of(42L, 7L));
    assertThat(node.claim()).as("told already").isInstanceOf(Next.Idle.class);
    node.begin(Map.of(42L, 8L));
    assertThat(claim().trigger()).isEqualTo(Trigger.START);
  }

  @Test
  void aStrangersFlagThatWasServedMeanwhileIsNotServedAgain() {
    node.request(Trigger.FLAG, List.of(42L));
    assertThat(node.claim()).isEqualTo(new Next.Idle(Optional.empty(), 0));
  }

  @Test
  void theLookForStrangersFlagsDoesNotCutAWindowShort() {
    WebhookBuffer.Outcome _ = signal(buffer(Duration.ofMinutes(1)), joined("e1", "standup"));
    assertThat(node.end(claim(), new Outcome.Served(Optional.empty()))).isEqualTo(Ending.DONE);

    node.request(Trigger.FLAG, List.of(42L));

    assertThat(node.claim())
        .isInstanceOfSatisfying(
            Next.Idle.class,
            idle -> assertThat(idle.nextIn().orElseThrow()).isGreaterThan(Duration.ofSeconds(50)));
  }

  @Test
  void aStrangersFlagDoesNotWaitForAConfirmingPoll() {
    node.request(Trigger.TIMER, List.of(42L));
    Outcome confirm = new Outcome.Served(Optional.of(Duration.ofMinutes(1)));
    assertThat(node.end(claim(), confirm)).isEqualTo(Ending.DONE);
    String _ = redis.call(commands -> commands.set(Keys.flag(42), "1"));

    node.request(Trigger.FLAG, List.of(42L));

    assertThat(claim().poll()).isTrue();
  }

  @Test
  void theBudgetIsOneForAllNodesAndA429FreezesIt() {
    RedisBudget one = new RedisBudget(redis, "daily");
    RedisBudget two = new RedisBudget(redis, "daily");
    int granted = 0;
    while (one.take().isEmpty() && two.take().isEmpty()) {
      granted += 2;
    }
    assertThat(granted).isBetween(58, 80);

    one.freeze(Duration.ofSeconds(30));
    assertThat(two.take().orElseThrow()).isBetween(Duration.ofSeconds(28), Duration.ofSeconds(30));
  }

  @Test
  void theQuestionForAllRoomsDoesNotWaitBehindThoseForOne() {
    RedisBudget budget = new RedisBudget(redis, "crowded");
    while (budget.take().isEmpty()) {
      // Polls take whatever they get.
    }
    assertThat(budget.takeAhead()).isEmpty();
    assertThat(budget.take()).isPresent();
  }
}

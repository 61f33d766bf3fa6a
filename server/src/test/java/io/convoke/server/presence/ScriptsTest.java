package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.presence.ReadyQueue.ClaimOutcome;
import io.convoke.server.presence.ReadyQueue.ClaimReleaseResult;
import io.convoke.server.presence.ReadyQueue.MeetingClaim;
import io.convoke.server.presence.ReadyQueue.NextClaim;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each script on a real Redis: flag, lease, evidence and ready queue. */
class ScriptsTest {
  private static final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private static final Redis redis = Redis.open(server.url());

  private final ReadyQueue node =
      new ReadyQueue(redis, PlatformKeys.DAILY, "node-1", Duration.ZERO);
  private final RoomMap rooms = new RoomMap(redis, PlatformKeys.DAILY);
  private final WebhookBuffer buffer = buffer(Duration.ZERO);

  @AfterAll
  static void stop() {
    redis.close();
    server.close();
  }

  @BeforeEach
  void forget() {
    server.flush();
    rooms.add(List.of(new RoomMap.RoomMapEntry("standup", 42)));
    rooms.declareWhole("generation");
  }

  private static WebhookBuffer buffer(Duration window) {
    PresenceConfig terms = PresenceConfig.of(ServerConfig.of(Map.of()));
    return new WebhookBuffer(
        redis,
        PlatformKeys.DAILY,
        new PresenceConfig(
            window,
            terms.minPollInterval(),
            terms.reconcileInterval(),
            terms.mode(),
            terms.processInterval(),
            terms.unusedTimeout(),
            terms.concurrency()));
  }

  private static PresenceEvent joined(String id, String room) {
    Instant at = Instant.parse("2026-03-02T09:00:00Z");
    return new PresenceEvent(
        id,
        PresenceEvent.PresenceEventKind.JOINED,
        room,
        "s-" + id,
        Optional.empty(),
        Optional.empty(),
        Optional.of(at),
        at,
        false,
        false);
  }

  private WebhookBuffer.BufferResult signal(String id) {
    return signal(buffer, joined(id, "standup"));
  }

  private static WebhookBuffer.BufferResult signal(WebhookBuffer to, PresenceEvent event) {
    return to.accept(event);
  }

  private MeetingClaim claim() {
    return switch (node.claim()) {
      case NextClaim.MeetingClaimed meetingClaimed -> meetingClaimed.claim();
      case NextClaim.NoMeetingDue noMeetingDue ->
          throw new AssertionError("nothing due: " + noMeetingDue);
    };
  }

  private Duration nextIn() {
    return switch (node.claim()) {
      case NextClaim.NoMeetingDue(Optional<Duration> in, long _) -> in.orElseThrow();
      case NextClaim.MeetingClaimed claimed -> throw new AssertionError("due: " + claimed);
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
    assertThat(signal("e1")).isEqualTo(WebhookBuffer.BufferResult.SIGNALLED);

    assertThat(get(PresenceKeys.flag(42))).isEqualTo("1");
    assertThat(ttl(PresenceKeys.flag(42))).isEqualTo(-1);
    assertThat(length(PresenceKeys.evidence(42))).isEqualTo(1);
  }

  @Test
  void aRepeatedEventIsKnown() {
    WebhookBuffer.BufferResult _ = signal("e1");
    assertThat(signal("e1")).isEqualTo(WebhookBuffer.BufferResult.REPEATED);
    assertThat(length(PresenceKeys.evidence(42))).isEqualTo(1);
  }

  @Test
  void aRoomWithSeveralMeetingsSignalsEach() {
    rooms.add(List.of(new RoomMap.RoomMapEntry("standup", 43)));
    WebhookBuffer.BufferResult _ = signal("e1");

    assertThat(exists(PresenceKeys.flag(42))).isTrue();
    assertThat(exists(PresenceKeys.flag(43))).isTrue();
  }

  @Test
  void anUnknownRoomAndAForgottenMapArePutAside() {
    assertThat(signal(buffer, joined("e1", "elsewhere")))
        .isEqualTo(WebhookBuffer.BufferResult.UNROUTED);
    long _ = redis.call(commands -> commands.del(PresenceKeys.GENERATION));
    assertThat(signal("e2")).isEqualTo(WebhookBuffer.BufferResult.UNROUTED);
    assertThat(length(PresenceKeys.UNROUTED)).isEqualTo(2);
  }

  @Test
  void aClaimTakesLeaseFlagAndEvidenceTogether() {
    WebhookBuffer.BufferResult _ = signal("e1");
    MeetingClaim meetingClaim = claim();

    assertThat(meetingClaim.meeting()).isEqualTo(42);
    assertThat(meetingClaim.poll()).isTrue();
    assertThat(meetingClaim.evidence()).extracting(PresenceEvent::eventId).containsExactly("e1");
    assertThat(meetingClaim.trigger()).isEqualTo(PollReason.WEBHOOK);
    assertThat(exists(PresenceKeys.flag(42))).isFalse();
    assertThat(get(PresenceKeys.pollLock(42))).isEqualTo(meetingClaim.token());
    assertThat(ttl(PresenceKeys.pollLock(42))).isBetween(100_000L, 120_000L);
  }

  @Test
  void withinTheWindowEvidenceIsClaimedAloneAndTheFlagStays() {
    WebhookBuffer slow = buffer(Duration.ofMinutes(1));
    WebhookBuffer.BufferResult _ = signal(slow, joined("e1", "standup"));
    MeetingClaim meetingClaim = claim();

    assertThat(meetingClaim.poll()).isFalse();
    assertThat(meetingClaim.evidence()).hasSize(1);
    assertThat(exists(PresenceKeys.flag(42))).isTrue();
    assertThat(node.end(meetingClaim, new ClaimOutcome.ClaimServed(Optional.empty())))
        .isNotEqualTo(ClaimReleaseResult.LOST);
    assertThat(exists(PresenceKeys.evidence(42))).isFalse();
    assertThat(exists(PresenceKeys.flag(42))).isTrue();
    assertThat(node.claim())
        .isInstanceOfSatisfying(
            NextClaim.NoMeetingDue.class,
            noMeetingDue ->
                assertThat(noMeetingDue.nextIn().orElseThrow())
                    .isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60)));
  }

  @Test
  void evidenceThatANodeTookAndDidNotCommitDoesNotWaitForALaterPoll() {
    WebhookBuffer.BufferResult _ = signal(buffer(Duration.ofMinutes(1)), joined("e1", "standup"));
    assertThat(claim().poll()).isFalse();

    assertThat(node.claim())
        .isInstanceOfSatisfying(
            NextClaim.NoMeetingDue.class,
            noMeetingDue ->
                assertThat(noMeetingDue.nextIn().orElseThrow())
                    .isLessThanOrEqualTo(Duration.ofSeconds(5)));
  }

  /** A node that takes a meeting wakes one more if another is due, and none if none is. */
  @Test
  void aClaimWakesAnotherNodeForTheNextMeetingAlone() {
    rooms.add(List.of(new RoomMap.RoomMapEntry("review", 43)));
    WebhookBuffer.BufferResult _ = signal("e1");
    WebhookBuffer.BufferResult _ = signal(buffer, joined("e2", "review"));
    String _ = redis.call(commands -> commands.lpop(PresenceKeys.WAKE));
    assertThat(length(PresenceKeys.WAKE)).isZero();
    MeetingClaim _ = claim();
    assertThat(length(PresenceKeys.WAKE)).isOne();
    String _ = redis.call(commands -> commands.lpop(PresenceKeys.WAKE));
    MeetingClaim _ = claim();
    assertThat(length(PresenceKeys.WAKE)).isZero();
  }

  @Test
  void aDeniedLeaseLeavesTheFlag() {
    String _ = redis.call(commands -> commands.set(PresenceKeys.pollLock(42), "a stranger"));
    WebhookBuffer.BufferResult _ = signal("e1");

    assertThat(node.claim()).isInstanceOf(NextClaim.NoMeetingDue.class);
    assertThat(exists(PresenceKeys.flag(42))).isTrue();
    assertThat(get(PresenceKeys.pollLock(42))).isEqualTo("a stranger");
  }

  @Test
  void whatArrivesDuringThePollMakesTheMeetingDueAgainOnce() {
    WebhookBuffer.BufferResult _ = signal("e1");
    MeetingClaim meetingClaim = claim();
    WebhookBuffer.BufferResult _ = signal("e2");
    WebhookBuffer.BufferResult _ = signal("e3");
    assertThat(node.claim()).isInstanceOf(NextClaim.NoMeetingDue.class);

    assertThat(node.end(meetingClaim, new ClaimOutcome.ClaimServed(Optional.empty())))
        .isEqualTo(ClaimReleaseResult.ASKED_AGAIN);
    MeetingClaim again = claim();
    assertThat(again.poll()).isTrue();
    assertThat(again.evidence()).extracting(PresenceEvent::eventId).containsExactly("e2", "e3");
    assertThat(again.epoch()).isGreaterThan(meetingClaim.epoch());
    assertThat(node.end(again, new ClaimOutcome.ClaimServed(Optional.empty())))
        .isNotEqualTo(ClaimReleaseResult.LOST);
    assertThat(node.claim()).isEqualTo(new NextClaim.NoMeetingDue(Optional.empty(), 0));
  }

  @Test
  void aFlagSetByAStrangerDuringThePollIsServedAfterIt() {
    WebhookBuffer.BufferResult _ = signal("e1");
    MeetingClaim meetingClaim = claim();
    String _ = redis.call(commands -> commands.set(PresenceKeys.flag(42), "1"));

    assertThat(node.end(meetingClaim, new ClaimOutcome.ClaimServed(Optional.empty())))
        .isNotEqualTo(ClaimReleaseResult.LOST);
    assertThat(claim().poll()).isTrue();
    assertThat(exists(PresenceKeys.flag(42))).isFalse();
  }

  @Test
  void aRefusedPollIsNoFailureSoTheNextOneWaitsNoLonger() {
    WebhookBuffer.BufferResult _ = signal("e1");
    for (int refusals = 0; refusals < 5; refusals++) {
      MeetingClaim meetingClaim = claim();
      assertThat(meetingClaim.fails()).isZero();
      assertThat(node.end(meetingClaim, new ClaimOutcome.ClaimRateLimited(Duration.ZERO)))
          .isNotEqualTo(ClaimReleaseResult.LOST);
      assertThat(exists(PresenceKeys.flag(42))).isTrue();
    }
    assertThat(node.end(claim(), new ClaimOutcome.ClaimPollFailed(Duration.ZERO)))
        .isNotEqualTo(ClaimReleaseResult.LOST);
    assertThat(claim().fails()).isEqualTo(1);
  }

  @Test
  void aFailedPollPutsTheFlagBackAndWaits() {
    WebhookBuffer.BufferResult _ = signal("e1");
    assertThat(node.end(claim(), new ClaimOutcome.ClaimPollFailed(Duration.ofMinutes(1))))
        .isNotEqualTo(ClaimReleaseResult.LOST);

    assertThat(exists(PresenceKeys.flag(42))).isTrue();
    assertThat(exists(PresenceKeys.pollLock(42))).isFalse();
    assertThat(node.claim())
        .isInstanceOfSatisfying(
            NextClaim.NoMeetingDue.class,
            noMeetingDue -> assertThat(noMeetingDue.nextIn().orElseThrow()).isPositive());
    assertThat(get(PresenceKeys.flag(42))).isEqualTo("1");
  }

  /** Else all events of the meeting would wait for the poll, behind those committed already. */
  @Test
  void anEventAfterAPollThatFailedOrWasRefusedIsDueAtOnceAndThePollStillWaits() {
    Duration wait = Duration.ofMinutes(1);
    for (ClaimOutcome outcome :
        List.of(new ClaimOutcome.ClaimPollFailed(wait), new ClaimOutcome.ClaimRateLimited(wait))) {
      forget();
      WebhookBuffer.BufferResult _ = signal("e1");
      assertThat(node.end(claim(), outcome)).isEqualTo(ClaimReleaseResult.DONE);
      assertThat(length(PresenceKeys.evidence(42))).isZero();
      assertThat(nextIn()).isBetween(Duration.ofSeconds(50), wait);

      WebhookBuffer.BufferResult _ = signal("e2");
      MeetingClaim next = claim();
      assertThat(next.poll()).isFalse();
      assertThat(next.evidence()).extracting(PresenceEvent::eventId).containsExactly("e2");
      assertThat(node.end(next, new ClaimOutcome.ClaimServed(Optional.empty())))
          .isEqualTo(ClaimReleaseResult.DONE);
      assertThat(nextIn()).isBetween(Duration.ofSeconds(50), wait);
      assertThat(exists(PresenceKeys.flag(42))).isTrue();
    }
  }

  @Test
  void whatArrivesDuringAPollThatFailsDoesNotWaitForTheNextOne() {
    WebhookBuffer.BufferResult _ = signal("e1");
    MeetingClaim failing = claim();
    WebhookBuffer.BufferResult _ = signal("e2");
    assertThat(node.end(failing, new ClaimOutcome.ClaimPollFailed(Duration.ofMinutes(1))))
        .isEqualTo(ClaimReleaseResult.ASKED_AGAIN);

    MeetingClaim next = claim();
    assertThat(next.poll()).isFalse();
    assertThat(next.evidence()).extracting(PresenceEvent::eventId).containsExactly("e2");
    assertThat(next.dirty()).isEqualTo(failing.dirty() + 1);
  }

  @Test
  void eventsThatPostgresDidNotTakeStayAndWaitWithThePoll() {
    WebhookBuffer.BufferResult _ = signal("e1");
    assertThat(node.end(claim(), new ClaimOutcome.ClaimNotStored(Duration.ofMinutes(1))))
        .isEqualTo(ClaimReleaseResult.DONE);
    assertThat(nextIn()).isBetween(Duration.ofSeconds(50), Duration.ofMinutes(1));
    assertThat(exists(PresenceKeys.flag(42))).isTrue();

    forget();
    WebhookBuffer.BufferResult _ = signal("e1");
    assertThat(node.end(claim(), new ClaimOutcome.ClaimNotStored(Duration.ZERO)))
        .isEqualTo(ClaimReleaseResult.DONE);
    MeetingClaim again = claim();
    assertThat(again.poll()).isTrue();
    assertThat(again.fails()).isOne();
    assertThat(again.evidence()).extracting(PresenceEvent::eventId).containsExactly("e1");
  }

  @Test
  void eventsAloneThatPostgresDidNotTakeWaitForItAndNotForThePoll() {
    WebhookBuffer.BufferResult _ = signal(buffer(Duration.ofMinutes(1)), joined("e1", "standup"));
    MeetingClaim meetingClaim = claim();
    assertThat(meetingClaim.poll()).isFalse();
    assertThat(node.end(meetingClaim, new ClaimOutcome.ClaimNotStored(Duration.ofSeconds(30))))
        .isEqualTo(ClaimReleaseResult.DONE);

    assertThat(length(PresenceKeys.evidence(42))).isOne();
    assertThat(nextIn()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));

    forget();
    WebhookBuffer.BufferResult _ = signal(buffer(Duration.ofMinutes(1)), joined("e1", "standup"));
    assertThat(node.end(claim(), new ClaimOutcome.ClaimNotStored(Duration.ZERO)))
        .isEqualTo(ClaimReleaseResult.DONE);
    MeetingClaim again = claim();
    assertThat(again.poll()).isFalse();
    assertThat(again.evidence()).extracting(PresenceEvent::eventId).containsExactly("e1");
  }

  @Test
  void aConfirmingPollIsDueWithoutAFlag() {
    WebhookBuffer.BufferResult _ = signal("e1");
    assertThat(node.end(claim(), new ClaimOutcome.ClaimServed(Optional.of(Duration.ZERO))))
        .isNotEqualTo(ClaimReleaseResult.LOST);
    assertThat(exists(PresenceKeys.flag(42))).isFalse();

    MeetingClaim confirming = claim();
    assertThat(confirming.poll()).isTrue();
    assertThat(confirming.trigger()).isEqualTo(PollReason.CONFIRM);
  }

  @Test
  void aClaimThatWasTakenOverChangesNothingWhenItEnds() {
    WebhookBuffer.BufferResult _ = signal("e1");
    MeetingClaim meetingClaim = claim();
    String _ = redis.call(commands -> commands.set(PresenceKeys.pollLock(42), "somebody else"));

    assertThat(node.end(meetingClaim, new ClaimOutcome.ClaimServed(Optional.empty())))
        .isEqualTo(ClaimReleaseResult.LOST);
    assertThat(get(PresenceKeys.pollLock(42))).isEqualTo("somebody else");
    assertThat(length(PresenceKeys.evidence(42))).isEqualTo(1);
  }

  @Test
  void theClaimOfANodeThatDiedIsTakenOverAndPolledAlthoughItsFlagIsGone() {
    WebhookBuffer.BufferResult _ = signal("e1");
    MeetingClaim lost = claim();
    long _ = redis.call(commands -> commands.del(PresenceKeys.node("node-1")));
    // As the recheck would do some seconds later.
    long _ = redis.call(commands -> commands.zadd(PresenceKeys.READY, 0, "42"));

    ReadyQueue other = new ReadyQueue(redis, PlatformKeys.DAILY, "node-2", Duration.ofMillis(1));
    NextClaim nextClaim = other.claim();
    assertThat(nextClaim)
        .isInstanceOfSatisfying(
            NextClaim.MeetingClaimed.class,
            meetingClaimed -> {
              assertThat(meetingClaimed.claim().poll()).isTrue();
              assertThat(meetingClaimed.claim().evidence()).hasSize(1);
              assertThat(meetingClaimed.claim().epoch()).isGreaterThan(lost.epoch());
            });
    assertThat(node.end(lost, new ClaimOutcome.ClaimServed(Optional.empty())))
        .isEqualTo(ClaimReleaseResult.LOST);
  }

  @Test
  void aClaimWithALostResponseIsTakenOverAlthoughItsNodeIsAlive() {
    try (Redis own = Redis.open(server.url())) {
      ReadyQueue deaf = new ReadyQueue(own, PlatformKeys.DAILY, "node-1", Duration.ZERO);
      assertThat(deaf.claim()).isInstanceOf(NextClaim.NoMeetingDue.class);
      WebhookBuffer.BufferResult _ = signal("e1");
      server.pause(true);
      assertThatThrownBy(deaf::claim).isInstanceOf(RedisUnavailable.class);
      server.pause(false);
      // Behind the claim, on the same connection.
      String holder = own.call(commands -> commands.get(PresenceKeys.pollLock(42)));
      assertThat(holder).startsWith("presence:node-1:");

      // As the recheck would do after five seconds of silence.
      long _ = redis.call(commands -> commands.del(PresenceKeys.node("node-1")));
      long _ = redis.call(commands -> commands.zadd(PresenceKeys.READY, 0, "42"));
      assertThat(deaf.claim())
          .isInstanceOfSatisfying(
              NextClaim.MeetingClaimed.class,
              meetingClaimed -> assertThat(meetingClaimed.claim().evidence()).hasSize(1));
    }
  }

  @Test
  void anEndedMeetingLeavesNothingBehind() {
    WebhookBuffer.BufferResult _ = signal("e1");
    assertThat(node.end(claim(), new ClaimOutcome.ClaimMeetingOver()))
        .isNotEqualTo(ClaimReleaseResult.LOST);
    assertThat(keysOfTheMeeting()).isEmpty();
    assertThat(exists(PresenceKeys.READY)).isFalse();
    rooms.remove(List.of(new RoomMap.RoomMapEntry("standup", 42)));
    assertThat(keysOfTheMeeting()).isEmpty();
    assertThat(exists(PresenceKeys.ROOMS)).isFalse();
  }

  private static List<String> keysOfTheMeeting() {
    // The names of these end in a number of the time, which may contain the meeting's.
    return redis.call(commands -> commands.keys("*42*")).stream()
        .filter(key -> !key.startsWith(PresenceKeys.EVENTS))
        .toList();
  }

  @Test
  void aRequestedMeetingIsDueOnceHoweverOftenItIsRequested() {
    node.request(PollReason.TIMER, List.of(42L, 42L));
    node.request(PollReason.TIMER, List.of(42L));
    MeetingClaim meetingClaim = claim();

    assertThat(meetingClaim.trigger()).isEqualTo(PollReason.TIMER);
    assertThat(node.end(meetingClaim, new ClaimOutcome.ClaimServed(Optional.empty())))
        .isNotEqualTo(ClaimReleaseResult.LOST);
    assertThat(node.claim()).isEqualTo(new NextClaim.NoMeetingDue(Optional.empty(), 0));
  }

  @Test
  void aMoveThatSeveralNodesTellOfIsPolledOnce() {
    node.begin(Map.of(42L, 7L));
    assertThat(node.end(claim(), new ClaimOutcome.ClaimServed(Optional.empty())))
        .isEqualTo(ClaimReleaseResult.DONE);
    node.begin(Map.of(42L, 7L));
    assertThat(node.claim()).as("told already").isInstanceOf(NextClaim.NoMeetingDue.class);
    node.begin(Map.of(42L, 8L));
    assertThat(claim().trigger()).isEqualTo(PollReason.START);
  }

  @Test
  void aStrangersFlagThatWasServedMeanwhileIsNotServedAgain() {
    node.request(PollReason.FLAG, List.of(42L));
    assertThat(node.claim()).isEqualTo(new NextClaim.NoMeetingDue(Optional.empty(), 0));
  }

  @Test
  void theLookForStrangersFlagsDoesNotCutAWindowShort() {
    WebhookBuffer.BufferResult _ = signal(buffer(Duration.ofMinutes(1)), joined("e1", "standup"));
    assertThat(node.end(claim(), new ClaimOutcome.ClaimServed(Optional.empty())))
        .isEqualTo(ClaimReleaseResult.DONE);

    node.request(PollReason.FLAG, List.of(42L));

    assertThat(node.claim())
        .isInstanceOfSatisfying(
            NextClaim.NoMeetingDue.class,
            noMeetingDue ->
                assertThat(noMeetingDue.nextIn().orElseThrow())
                    .isGreaterThan(Duration.ofSeconds(50)));
  }

  @Test
  void aStrangersFlagDoesNotWaitForAConfirmingPoll() {
    node.request(PollReason.TIMER, List.of(42L));
    ClaimOutcome confirm = new ClaimOutcome.ClaimServed(Optional.of(Duration.ofMinutes(1)));
    assertThat(node.end(claim(), confirm)).isEqualTo(ClaimReleaseResult.DONE);
    String _ = redis.call(commands -> commands.set(PresenceKeys.flag(42), "1"));

    node.request(PollReason.FLAG, List.of(42L));

    assertThat(claim().poll()).isTrue();
  }

  @Test
  void theBudgetIsOneForAllNodesAndA429FreezesIt() {
    RedisRateLimiter one = new RedisRateLimiter(redis, ApiBudget.DAILY);
    RedisRateLimiter two = new RedisRateLimiter(redis, ApiBudget.DAILY);
    int granted = 0;
    while (one.tryAcquire().isEmpty() && two.tryAcquire().isEmpty()) {
      granted += 2;
    }
    assertThat(granted).isBetween(58, 80);

    one.freeze(Duration.ofSeconds(30));
    assertThat(two.tryAcquire().orElseThrow())
        .isBetween(Duration.ofSeconds(28), Duration.ofSeconds(30));
  }

  @Test
  void aFreezeOfAnHourLastsAnHour() {
    RedisRateLimiter budget = new RedisRateLimiter(redis, new ApiBudget("frozen", 15, 60));
    budget.freeze(Duration.ofHours(1));
    budget.freeze(Duration.ofSeconds(1));
    assertThat(budget.tryAcquire().orElseThrow()).isGreaterThan(Duration.ofMinutes(59));
    long kept = redis.call(commands -> commands.pttl(RedisRateLimiter.key("frozen")));
    assertThat(kept).isGreaterThan(Duration.ofHours(1).toMillis());
  }

  @Test
  void withoutRedisAFreezeIsNotShortenedByAnotherOne() {
    EmbeddedRedis away = LocalStores.forTests().ownRedis();
    try (Redis own = Redis.open(away.url())) {
      away.close();
      RedisRateLimiter budget = new RedisRateLimiter(own, ApiBudget.DAILY);
      budget.freeze(Duration.ofHours(1));
      budget.freeze(Duration.ofSeconds(1));
      assertThat(budget.tryAcquire().orElseThrow()).isGreaterThan(Duration.ofMinutes(59));
    }
  }

  @Test
  void theQuestionForAllRoomsDoesNotWaitBehindThoseForOne() {
    RedisRateLimiter budget = new RedisRateLimiter(redis, new ApiBudget("crowded", 15, 60));
    while (budget.tryAcquire().isEmpty()) {
      // Polls take any entry.
    }
    assertThat(budget.takeAhead()).isEmpty();
    assertThat(budget.tryAcquire()).isPresent();
  }
}

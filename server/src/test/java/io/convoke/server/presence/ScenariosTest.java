package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The scenarios of docs/spec/presence.md on real stores, against the simulator's Daily. */
class ScenariosTest {
  final PresenceTestKit kit = kit();

  /** The stores and the platform. */
  PresenceTestKit kit() {
    return new PresenceTestKit();
  }

  @AfterEach
  void close() {
    kit.close();
  }

  private static PresenceConfig unconditional() {
    PresenceConfig quick = PresenceTestKit.quick();
    return new PresenceConfig(
        quick.coalesceWindow(),
        quick.minPollInterval(),
        quick.reconcileInterval(),
        PresenceConfig.ReconcileMode.UNCONDITIONAL,
        quick.processInterval(),
        quick.unusedTimeout(),
        quick.concurrency());
  }

  /** Adds participants before webhooks are on, so that a first poll finds them. */
  private long withPeople(Node node, String room, String... names) {
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting(room);
      for (String name : names) {
        String _ = kit.join(room, name);
      }
      // The follower requests a first poll when the meeting becomes active.
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      return meeting;
    }
  }

  private void initially(Node node, long meeting, int people) {
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      while (kit.numClients(meeting) != people) {
        assertThat(node.presence().reconciler().tick()).isTrue();
        ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      }
    }
  }

  @Test
  void aClaimWithEvidenceThatPollsRaisesTheEpochOnce() throws Exception {
    PresenceConfig quick = PresenceTestKit.quick();
    PresenceConfig atOnce =
        new PresenceConfig(
            Duration.ZERO,
            Duration.ZERO,
            quick.reconcileInterval(),
            quick.mode(),
            quick.processInterval(),
            quick.unusedTimeout(),
            quick.concurrency());
    Node node = kit.node(atOnce);
    long meeting = withPeople(node, "once");
    String epoch = "select epoch::int from presence where meeting_id = " + meeting;
    int before = kit.number(epoch);

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      assertThat(kit.platform.tellJoined(node, "e1", "once", "s1", Instant.now())).isEqualTo(200);
      ClaimEnded poll = PresenceTestKit.polled(ended, meeting);
      assertThat(poll.outcome()).isInstanceOf(ReadyQueue.ClaimOutcome.ClaimServed.class);
    }
    assertThat(kit.numClients(meeting)).isEqualTo(1);
    assertThat(kit.number(epoch)).isEqualTo(before + 1);
  }

  @Test
  void scenario4WebhookTriggersPoll() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(node, "mtg-123", "User1", "User2", "User3");
    initially(node, meeting, 3);
    kit.webhooksTo(node);
    long polls = kit.polls("mtg-123");

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      String user4 = kit.join("mtg-123", "User4");
      kit.platform.awaitDelivered(user4);
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);

      assertThat(kit.numClients(meeting)).isEqualTo(4);
      assertThat(kit.names(node, meeting)).contains("User1", "User2", "User3", "User4");
      assertThat(kit.polls("mtg-123")).isEqualTo(polls + 1);
      assertThat(kit.exists(PresenceKeys.flag(meeting))).isFalse();
      assertThat(kit.exists(PresenceKeys.pollLock(meeting))).isFalse();
      assertThat(kit.participants(node, meeting).path("poll_state").asString()).isEqualTo("idle");
      JsonNode data = kit.events(meeting, "participant.joined").getLast();
      assertThat(data.path("session_id").asString()).isEqualTo(user4);
      assertThat(data.path("user_name").asString()).isEqualTo("User4");
      assertThat(data.path("user_id").asLong()).isEqualTo(kit.user);
      assertThat(data.path("source").asString()).isEqualTo("webhook");
      assertThat(data.path("num_clients").asInt()).isEqualTo(4);
    }
  }

  @Test
  void scenario4OnANodeThatOnlyServesTheFlagStaysVisible() throws Exception {
    Node worker = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(worker, "mtg-123", "User1");
    worker.presence().close();
    Node api = kit.api(PresenceTestKit.quick());

    assertThat(kit.platform.tellJoined(api, "e1", "mtg-123", "s4", Instant.now())).isEqualTo(200);
    assertThat(kit.exists(PresenceKeys.flag(meeting))).isTrue();
    assertThat(kit.participants(api, meeting).path("poll_state").asString())
        .isEqualTo("needs_poll");
  }

  @Test
  void scenario5ThreeWebhooksCostOnePoll() {
    PresenceConfig quick = PresenceTestKit.quick();
    Node node =
        kit.node(
            new PresenceConfig(
                Duration.ofMillis(1500),
                Duration.ofSeconds(1),
                quick.reconcileInterval(),
                quick.mode(),
                quick.processInterval(),
                quick.unusedTimeout(),
                quick.concurrency()));
    long meeting = withPeople(node, "mtg-123", "User1");
    initially(node, meeting, 1);
    kit.webhooksTo(node);
    long polls = kit.polls("mtg-123");

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe();
        SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
      Instant first = Instant.now();
      for (String name : List.of("User2", "User3", "User4")) {
        String _ = kit.join("mtg-123", name);
        long _ = committed.await(PresenceTestKit.SOON);
      }
      // The evidence is in the database before any poll.
      assertThat(kit.numClients(meeting)).isEqualTo(4);
      assertThat(kit.polls("mtg-123")).isEqualTo(polls);
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);

      assertThat(Duration.between(first, Instant.now())).isGreaterThan(Duration.ofMillis(1400));
      assertThat(kit.polls("mtg-123")).isEqualTo(polls + 1);
      assertThat(kit.exists(PresenceKeys.flag(meeting))).isFalse();
    }
  }

  @Test
  void scenario6ALostWebhookIsRecoveredByTheUnconditionalTimer() throws Exception {
    lostWebhookIsRecovered(kit.node(unconditional()), "timer");
  }

  @Test
  void scenario6ALostWebhookIsRecoveredByTheBulkTimer() throws Exception {
    lostWebhookIsRecovered(kit.node(PresenceTestKit.quick()), "bulk");
  }

  private void lostWebhookIsRecovered(Node node, String source) throws Exception {
    long meeting = withPeople(node, "mtg-123", "User1", "User2");
    initially(node, meeting, 2);
    kit.webhooksTo(node);
    kit.platform.loseEvents();

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      String _ = kit.join("mtg-123", "User3");
      assertThat(kit.numClients(meeting)).isEqualTo(2);
      assertThat(node.presence().reconciler().tick()).isTrue();
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);

      assertThat(kit.numClients(meeting)).isEqualTo(3);
      assertThat(kit.names(node, meeting)).contains("User3");
      assertThat(kit.events(meeting, "participant.joined").getLast().path("source").asString())
          .isEqualTo(source);
    }
  }

  @Test
  void scenario7TheUnconditionalTimerPollsAgainWithoutAChange() {
    Node node = kit.node(unconditional());
    long meeting = withPeople(node, "mtg-123", "User1");
    initially(node, meeting, 1);
    long polls = kit.polls("mtg-123");
    int events = kit.events(meeting, "participant.joined").size();

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      assertThat(node.presence().reconciler().tick()).isTrue();
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
    }
    assertThat(kit.polls("mtg-123")).isEqualTo(polls + 1);
    assertThat(kit.events(meeting, "participant.joined")).hasSize(events);
  }

  @Test
  void inBulkModeATickThatAgreesProvesWithoutPollingAnyRoom() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(node, "mtg-123", "User1");
    initially(node, meeting, 1);
    long polls = kit.polls("mtg-123");

    try (SignalObservation<String> ticked = node.presence().signals().ticked().observe()) {
      assertThat(node.presence().reconciler().tick()).isTrue();
      assertThat(ticked.await(PresenceTestKit.SOON)).isEqualTo("bulk");
    }
    assertThat(kit.polls("mtg-123")).isEqualTo(polls);
    assertThat(kit.exists(PresenceKeys.flag(meeting))).isFalse();
  }

  @Test
  void scenario8TwoWorkersSeeTheSameFlagAndOnePolls() {
    Node one = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(one, "mtg-123", "User1");
    initially(one, meeting, 1);
    Node two = kit.node(PresenceTestKit.quick());
    kit.webhooksTo(two);
    long polls = kit.polls("mtg-123");

    try (SignalObservation<ClaimEnded> byOne = one.presence().signals().ended().observe();
        SignalObservation<ClaimEnded> byTwo = two.presence().signals().ended().observe()) {
      String _ = kit.join("mtg-123", "User2");
      kit.platform.awaitQuiet();
      kit.platform.awaitPolls("mtg-123", polls);
      // A later poll of the same meeting can only follow a later event.
      assertThat(kit.polls("mtg-123")).isEqualTo(polls + 1);
      assertThat(byOne.drain().size() + byTwo.drain().size()).isLessThanOrEqualTo(3);
    }
  }

  @Tag("nightly")
  @Test
  void aFlagSetByAPlainSetIsServed() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(node, "mtg-123", "User1");
    initially(node, meeting, 1);

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      String _ = kit.redis.call(commands -> commands.set(PresenceKeys.flag(meeting), "1"));
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
    }
    assertThat(kit.exists(PresenceKeys.flag(meeting))).isFalse();
  }

  @Test
  void aLockOfAStrangerKeepsTheFlagAndTheWorkGoesOnWhenItIsGone() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(node, "mtg-123", "User1");
    initially(node, meeting, 1);
    String _ =
        kit.redis.call(commands -> commands.set(PresenceKeys.pollLock(meeting), "a stranger"));
    long polls = kit.polls("mtg-123");

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      assertThat(kit.platform.tellJoined(node, "e1", "mtg-123", "s4", Instant.now()))
          .isEqualTo(200);
      assertThat(kit.exists(PresenceKeys.flag(meeting))).isTrue();
      assertThat(kit.participants(node, meeting).path("poll_state").asString())
          .isEqualTo("needs_poll_while_polling");
      assertThat(kit.polls("mtg-123")).isEqualTo(polls);

      long _ = kit.redis.call(commands -> commands.del(PresenceKeys.pollLock(meeting)));
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
    }
    assertThat(kit.exists(PresenceKeys.flag(meeting))).isFalse();
  }

  @Tag("nightly")
  @Test
  void aPollThatFailsLeavesTheMeetingDue() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(node, "mtg-123", "User1");
    initially(node, meeting, 1);
    kit.webhooksTo(node);
    kit.platform.failCalls(2);

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      String _ = kit.join("mtg-123", "User2");
      ClaimEnded failed = PresenceTestKit.polled(ended, meeting);
      assertThat(failed.outcome()).isInstanceOf(ReadyQueue.ClaimOutcome.ClaimPollFailed.class);
      assertThat(kit.exists(PresenceKeys.flag(meeting))).isTrue();
      ClaimEnded served =
          ended.await(
              it -> it.poll() && it.outcome() instanceof ReadyQueue.ClaimOutcome.ClaimServed,
              PresenceTestKit.SOON);
      assertThat(served.meeting()).isEqualTo(meeting);
    }
    assertThat(kit.numClients(meeting)).isEqualTo(2);
    assertThat(kit.exists(PresenceKeys.flag(meeting))).isFalse();
  }

  @Test
  void eventsThatPostgresRefusesAreCommittedLater() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(node, "later");
    rename("presence_events", "away");

    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      assertThat(kit.platform.tellJoined(node, "e1", "later", "s1", Instant.now())).isEqualTo(200);
      ClaimEnded refused =
          ended.await(
              it -> it.outcome() instanceof ReadyQueue.ClaimOutcome.ClaimNotStored,
              PresenceTestKit.SOON);
      assertThat(refused.meeting()).isEqualTo(meeting);
      assertThat(kit.exists(PresenceKeys.evidence(meeting))).isTrue();
      rename("away", "presence_events");
      ClaimEnded _ = ended.await(it -> kit.numClients(meeting) == 1, PresenceTestKit.SOON);
    }
  }

  private void rename(String table, String name) {
    kit.database.run(
        tx -> {
          int _ = tx.sql("alter table %s rename to %s".formatted(table, name)).update();
        });
  }

  @Test
  void aBotsMeetingThatTurnsTerminalHasNoOpenSessionsLeft() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = withPeople(node, "mtg-123", "User1", "User2");
    initially(node, meeting, 2);

    try (SignalObservation<Long> closed = node.presence().signals().closed().observe()) {
      kit.move(meeting, "completed");
      long _ = closed.await(it -> it == meeting, PresenceTestKit.SOON);
    }
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.number("select count(*)::int from participant_sessions where left_at is null"))
        .isZero();
    assertThat(kit.events(meeting, "participant.left")).hasSize(2);
    assertThat(kit.exists(new PlatformKeys(kit.platform.name()).of(PresenceKeys.ROOMS))).isFalse();
  }
}

package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.convoke.server.presence.merge.PresenceMerge;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is different at Janus: its events, its reused ids, its rooms in memory. */
class JanusPresenceTest {
  private final PresenceTestKit kit = PresenceTestKit.onJanus();
  private final JanusTestPlatform janus = (JanusTestPlatform) kit.platform;

  @AfterEach
  void close() {
    kit.close();
  }

  private long meeting(Node node, String room) {
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting(room);
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      return meeting;
    }
  }

  private List<String> visits(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql(
                    """
                    select session_id || case when left_at is null then ' open' else ' over' end
                      as visit
                    from participant_sessions where meeting_id = ? order by joined_at
                    """)
                .with(meeting)
                .list(resultRow -> resultRow.text("visit")));
  }

  @Test
  void onlyAPostWithThePasswordIsBelieved() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = meeting(node, "room");
    String body = JanusTestPlatform.joined("room", "eve", Instant.now());

    assertThat(janus.post(node, "convoke:wrong", body)).isEqualTo(401);
    assertThat(janus.post(node, "no colon", body)).isEqualTo(401);
    assertThat(kit.exists(PresenceKeys.evidence(meeting))).isFalse();
    assertThat(janus.post(node, "any:" + JanusServer.EVENT_PASSWORD, "[{\"type\":64}, 5]"))
        .isEqualTo(200);
    assertThat(janus.post(node, "any:" + JanusServer.EVENT_PASSWORD, "{")).isEqualTo(200);
  }

  @Test
  void anIdThatComesAgainIsASecondVisit() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = meeting(node, "room");
    kit.webhooksTo(node);
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
      for (int i = 0; i < 2; i++) {
        String _ = janus.join("room", Optional.of("alice"), "Alice");
        while (kit.numClients(meeting) != 1) {
          long _ = committed.await(PresenceTestKit.SOON);
        }
        kit.leave("room", "alice");
        while (kit.numClients(meeting) != 0) {
          long _ = committed.await(PresenceTestKit.SOON);
        }
      }
    }
    assertThat(visits(meeting)).containsExactly("alice over", "alice over");
    assertThat(kit.events(meeting, "participant.joined")).hasSize(2);
    assertThat(kit.events(meeting, "participant.left"))
        .hasSize(2)
        .allMatch(left -> left.path("source").asString().equals("webhook"));
  }

  /** Alice's visit, a minute ago, to a room with a rule; its meeting is over. */
  private long visited(Node node) throws Exception {
    kit.platform.ensure("room");
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into rooms (platform, room, user_id, claimed_at, opens_at, tracks_for)
                      values ('janus', 'room', ?, now(), now() - interval '1 hour', ?)
                      """)
                  .with(kit.user, kit.user)
                  .update();
        });
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe();
        SignalObservation<Long> closed = node.presence().signals().closed().observe()) {
      Instant joined = Instant.now().minusSeconds(60);
      assertThat(kit.platform.tellJoined(node, "", "room", "alice", joined)).isEqualTo(200);
      long meeting = committed.await(PresenceTestKit.SOON);
      kit.move(meeting, "completed");
      long _ = closed.await(it -> it == meeting, PresenceTestKit.SOON);
      return meeting;
    }
  }

  private int meetings() {
    return kit.number("select count(*)::int from meetings");
  }

  @Test
  void anIdThatComesAgainBeginsTheNextMeetingInARoomWithARule() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long first = visited(node);
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe();
        SignalObservation<String> kept = node.presence().signals().routed().observe()) {
      Instant during = Instant.now().minusSeconds(50);
      assertThat(kit.platform.tellJoined(node, "", "room", "alice", during)).isEqualTo(200);
      String _ = kept.await("unknown room"::equals, PresenceTestKit.SOON);
      assertThat(meetings()).isEqualTo(1);

      Instant later = Instant.now().plus(PresenceMerge.LAG).plusSeconds(5);
      assertThat(kit.platform.tellJoined(node, "", "room", "alice", later)).isEqualTo(200);
      long next = committed.await(it -> it != first, PresenceTestKit.SOON);
      assertThat(visits(next)).containsExactly("alice open");
    }
    assertThat(meetings()).isEqualTo(2);
  }

  @Test
  void anIdThatComesAgainBeginsTheNextMeetingByTheTickAlone() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long _ = visited(node);
    String _ = janus.join("room", Optional.of("alice"), "Alice");
    janus.later(PresenceMerge.LAG.plusSeconds(5));
    boolean _ = node.presence().reconciler().tick();
    assertThat(meetings()).isEqualTo(2);
  }

  @Test
  void whoIsKickedHasLeft() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = meeting(node, "room");
    kit.webhooksTo(node);
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
      String _ = janus.join("room", Optional.of("alice"), "Alice");
      while (kit.numClients(meeting) != 1) {
        long _ = committed.await(PresenceTestKit.SOON);
      }
      janus.kick("room", "alice");
      while (kit.numClients(meeting) != 0) {
        long _ = committed.await(PresenceTestKit.SOON);
      }
    }
    assertThat(visits(meeting)).containsExactly("alice over");
  }

  @Test
  void aPrivateRoomIsSeenByTheBulkTickWithoutAnyEvent() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = meeting(node, "room");
    String ada = kit.join("room", "Ada");
    tick(node, meeting);
    assertThat(visits(meeting)).containsExactly(ada + " open");
    assertThat(kit.events(meeting, "participant.joined").getFirst().path("source").asString())
        .isEqualTo("bulk");
  }

  @Test
  void participantsOfARoomThatARestartForgotHaveLeftAfterTenMinutes() {
    Node node = kit.node(CoarseTimesTest.unconditional());
    long meeting = meeting(node, "room");
    String ada = kit.join("room", "Ada");
    tick(node, meeting);
    assertThat(visits(meeting)).containsExactly(ada + " open");

    janus.janus.restart();
    tick(node, meeting);
    assertThat(visits(meeting)).containsExactly(ada + " open");
    janus.later(PresenceMerge.LAG);
    tick(node, meeting);
    assertThat(visits(meeting)).containsExactly(ada + " open");
    janus.later(PresenceMerge.MISSING_ROOM);
    tick(node, meeting);
    assertThat(visits(meeting)).containsExactly(ada + " over");
  }

  private static void tick(Node node, long meeting) {
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      assertThat(node.presence().reconciler().tick()).isTrue();
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
    }
  }

  @Test
  void anEventWhileRedisIsAwayIsReadFromTheInbox() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = meeting(node, "room");
    kit.redisServer.stop();
    try (SignalObservation<Long> drained = node.presence().signals().drained().observe()) {
      assertThat(kit.platform.tellJoined(node, "", "room", "alice", Instant.now())).isEqualTo(200);
      kit.redisServer.restart();
      long _ = drained.await(it -> it == meeting, PresenceTestKit.SOON);
    }
    assertThat(visits(meeting)).containsExactly("alice open");
  }
}

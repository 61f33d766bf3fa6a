package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The times of Daily's presence are some 15 s coarse, and its events may arrive late. */
class CoarseTimesTest {
  private final PresenceTestKit kit = new PresenceTestKit();
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  @AfterEach
  void close() {
    kit.close();
  }

  static PresenceConfig unconditional() {
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

  @Test
  void aPresenceTimeFifteenSecondsLaterIsTheSameStay() throws Exception {
    Node node = kit.node(unconditional());
    long meeting = kit.meeting("room");
    String session = kit.join("room", "Ada");
    Instant joined = now.minusSeconds(15);
    kit.database.run(
        tx -> {
          int _ =
              tx.sql("update meetings set created_at = ? where id = ?")
                  .with(joined, meeting)
                  .update();
        });

    told(node, meeting, PresenceTestKit.joined("e1", "room", session, joined));
    looked(node, meeting);

    assertThat(stays(meeting)).containsExactly(session + " " + joined + " open");
    assertThat(kit.numClients(meeting)).isEqualTo(1);
    assertThat(kit.events(meeting, "participant.joined")).hasSize(1);
    assertThat(kit.events(meeting, "participant.left")).isEmpty();
  }

  @Test
  void theTimeOfAnEventReplacesTheTimeOfASnapshot() throws Exception {
    Node node = kit.node(unconditional());
    long meeting = kit.meeting("room");
    String session = kit.join("room", "Ada");
    looked(node, meeting);
    assertThat(kit.numClients(meeting)).isEqualTo(1);
    Instant joined = now.plusSeconds(15);

    told(node, meeting, PresenceTestKit.joined("e1", "room", session, joined));
    looked(node, meeting);

    assertThat(stays(meeting)).containsExactly(session + " " + joined + " open");
    assertThat(kit.events(meeting, "participant.joined")).hasSize(1);
    assertThat(kit.events(meeting, "participant.left")).isEmpty();
  }

  @Test
  void aLeaveIsItsJoinPlusItsDurationWhateverPresenceReported() throws Exception {
    Node node = kit.node(unconditional());
    long meeting = kit.meeting("room");
    String session = kit.join("room", "Ada");
    looked(node, meeting);
    kit.leave("room", session);
    Instant joined = now.minusSeconds(100);

    told(
        node,
        meeting,
        PresenceTestKit.left("e2", "room", session, joined, 60.5, now.minusSeconds(38)));

    assertThat(stays(meeting))
        .containsExactly(session + " " + joined + " " + joined.plusMillis(60_500));
    JsonNode left = kit.events(meeting, "participant.left").getFirst();
    assertThat(Instant.parse(left.path("left_at").asString())).isEqualTo(joined.plusMillis(60_500));
  }

  /**
   * Sends an event and waits until it is in the database, and the poll that it asks for as well.
   */
  private void told(Node node, long meeting, String event) throws Exception {
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
      assertThat(kit.webhook(node, event)).isEqualTo(200);
      long _ = committed.await(it -> it == meeting, PresenceTestKit.SOON);
    }
  }

  /** Requests a poll of the room. */
  private void looked(Node node, long meeting) {
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      assertThat(node.presence().reconciler().tick()).isTrue();
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
    }
  }

  private List<String> stays(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql(
                    """
                    select session_id, joined_at, left_at from participant_sessions
                    where meeting_id = ? order by joined_at
                    """)
                .with(meeting)
                .list(
                    resultRow ->
                        resultRow.text("session_id")
                            + " "
                            + resultRow.instant("joined_at")
                            + " "
                            + resultRow
                                .maybeInstant("left_at")
                                .map(Instant::toString)
                                .orElse("open")));
  }
}

package io.convoke.server.presence.merge;

import static io.convoke.server.presence.merge.MergeFacts.at;
import static io.convoke.server.presence.merge.MergeFacts.byBot;
import static io.convoke.server.presence.merge.MergeFacts.found;
import static io.convoke.server.presence.merge.MergeFacts.joined;
import static io.convoke.server.presence.merge.MergeFacts.left;
import static io.convoke.server.presence.merge.MergeFacts.merge;
import static io.convoke.server.presence.merge.MergeFacts.open;
import static io.convoke.server.presence.merge.MergeFacts.person;
import static io.convoke.server.presence.merge.MergeFacts.snapshot;
import static io.convoke.server.presence.merge.MergeFacts.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.server.platform.MeetingAttendance.Attendee;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Decisions of the merge that a mutation of it once showed to be tested nowhere. */
class MergeDetailsTest {
  @Test
  void aRoomThatIsMissingEndsItsStaysAfterTenMinutes() {
    RoomPresence missing = new RoomPresence.RoomMissing(at(0));
    List<ParticipantSession> rows = List.of(open("1", -60));
    MergeDecision first = merge(rows, missing);
    assertThat(first.closes()).isEmpty();
    assertThat(first.confirmAt()).contains(at(600).plus(PresenceMerge.SLACK));
    List<ParticipantSession> absent = written(rows, first);
    assertThat(merge(absent, new RoomPresence.RoomMissing(at(599))).closes()).isEmpty();
    assertThat(merge(absent, new RoomPresence.RoomMissing(at(600))).closes()).hasSize(1);
  }

  @Test
  void theEndOfAMeetingTakesInWhatIsPendingAndWhoWasNeverSeen() {
    MergeDecision end =
        PresenceMerge.finish(
            List.of(open("here", -60), open("seen", -60).absent(at(-20), at(-10))),
            List.of(joined("late", -5)),
            List.of(
                new Attendee(person("short", -50), at(-45)),
                new Attendee(person("here", -61), at(-30))),
            at(0),
            ConnectionIds.UNIQUE);
    List<ParticipantSession> rows = written(List.of(), end);
    assertThat(rows)
        .extracting(
            ParticipantSession::sessionId,
            ParticipantSession::joinedAt,
            it -> it.leftAt().orElseThrow())
        .containsExactlyInAnyOrder(
            tuple("here", at(-60), at(0)),
            tuple("seen", at(-60), at(-20)),
            tuple("late", at(-5), at(0)),
            tuple("short", at(-50), at(-45)));
  }

  /** The room may go on; who stays or comes then is not in this meeting any more. */
  @Test
  void whatIsPendingFromAfterTheEndOfTheMeetingAddsNoTimeToIt() {
    MergeDecision end =
        PresenceMerge.finish(
            List.of(open("stays", -60), open("seen", -60).absent(at(2), at(4))),
            List.of(left("stays", -60, 3), left("missed", -30, 5), joined("comes", 1)),
            List.of(),
            at(0),
            ConnectionIds.UNIQUE);
    assertThat(written(List.of(), end))
        .extracting(ParticipantSession::sessionId, it -> it.leftAt().orElseThrow())
        .containsExactlyInAnyOrder(
            tuple("stays", at(0)), tuple("seen", at(0)), tuple("missed", at(0)));
  }

  @Test
  void theEarliestOfManyConfirmationsIsTaken() {
    ParticipantSession before = open("1", -60).absent(at(-10), at(-5));
    ParticipantSession now = open("2", -60);
    for (List<ParticipantSession> rows : List.of(List.of(before, now), List.of(now, before))) {
      assertThat(merge(rows, snapshot(0)).confirmAt())
          .contains(at(-5).plus(PresenceMerge.LAG).plus(PresenceMerge.SLACK));
    }
  }

  @Test
  void aJoinNamesAStayThatASnapshotFoundWithoutAName() {
    ParticipantSession unnamed =
        ParticipantSession.joined(
            "1", Optional.empty(), Optional.empty(), at(0), ChangeSource.WEBHOOK, false);
    assertThat(merge(List.of(unnamed), joined("1", 0)).upserts())
        .singleElement()
        .matches(it -> it.userName().equals(Optional.of("1")));
  }

  @Test
  void aRepeatedJoinOfABotDoesNotOpenAStayThatEnded() {
    ParticipantSession over = open("1", 0).left(at(10), ChangeSource.BOT);
    assertThat(merge(List.of(over), byBot(joined("1", 0))).changes()).isEmpty();
    assertThat(merge(List.of(over), byBot(joined("1", 12))).changes()).isEmpty();
    assertThat(merge(List.of(over), byBot(joined("1", 13))).changes())
        .singleElement()
        .isInstanceOf(PresenceChange.Joined.class);
  }

  @Test
  void theExactEndThatABotReportedOnceStays() {
    ParticipantSession over = open("1", 0).left(at(5), ChangeSource.BOT);
    MergeDecision again = merge(List.of(over), byBot(left("1", 0, 7)));
    assertThat(again.closes()).isEmpty();
    assertThat(again.upserts()).isEmpty();
  }

  @Test
  void whoCameAfterTheLastSnapshotWasLastSeenWhenComing() {
    List<ParticipantSession> rows = List.of(open("1", 0));
    List<ParticipantSession> absent = written(rows, merge(rows, snapshot(20)));
    assertThat(absent).singleElement().matches(it -> it.lastSeenAt().equals(Optional.of(at(0))));
    assertThat(merge(absent, snapshot(40)).closes())
        .extracting(it -> it.leftAt().orElseThrow())
        .containsExactly(at(0));
  }

  @Test
  void aSnapshotReopensWhatASnapshotEndedAtOnceAndWhatWasToldLater() {
    assertThat(shown(open("1", 0).left(at(10), ChangeSource.POLL)).present()).isOne();
    for (ChangeSource told :
        List.of(ChangeSource.WEBHOOK, ChangeSource.BOT, ChangeSource.MEETING_END)) {
      MergeDecision soon = shown(open("1", 0).left(at(10), told));
      assertThat(soon.present()).as("%s", told).isZero();
      assertThat(soon.confirmAt()).as("%s", told).isPresent();
    }
  }

  private static MergeDecision shown(ParticipantSession over) {
    return merge(List.of(over), snapshot(12, person("1", 0)));
  }

  /** The time in a snapshot is coarse, so only a join much later proves a lost leave. */
  @Test
  void aJoinProvesALostLeaveByHowExactlyTheStartIsKnown() {
    assertThat(reused(found("1", 0), joined("1", 10)).closes()).isEmpty();
    assertThat(reused(found("1", 0), joined("1", 16)).closes()).hasSize(1);
    assertThat(reused(open("1", 0), joined("1", 2)).closes()).isEmpty();
    assertThat(reused(open("1", 0), joined("1", 3)).closes()).hasSize(1);
  }

  private static MergeDecision reused(ParticipantSession row, PresenceEvent event) {
    return PresenceMerge.decide(
        List.of(row),
        Optional.empty(),
        List.of(event),
        Optional.empty(),
        ChangeSource.POLL,
        ConnectionIds.REUSED);
  }
}

package io.convoke.server.presence.merge;

import static io.convoke.server.presence.merge.MergeFacts.at;
import static io.convoke.server.presence.merge.MergeFacts.byBot;
import static io.convoke.server.presence.merge.MergeFacts.ended;
import static io.convoke.server.presence.merge.MergeFacts.found;
import static io.convoke.server.presence.merge.MergeFacts.joined;
import static io.convoke.server.presence.merge.MergeFacts.left;
import static io.convoke.server.presence.merge.MergeFacts.open;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.platform.PresenceEvent;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Late events may be about visits from before the meeting that the room has now. */
class MeetingBeginTest {
  private static final MeetingBegin ASKED_FOR = MeetingBegin.askedFor(at(2), Optional.empty());
  private static final MeetingBegin BY_RULE = MeetingBegin.byRule(at(0));

  private static List<PresenceEvent> own(MeetingBegin begin, PresenceEvent... events) {
    return begin.own(List.of(events), List.of(), ConnectionIds.UNIQUE);
  }

  private static PresenceEvent waiting(String id, double at) {
    return new PresenceEvent(
        "w-" + id,
        PresenceEvent.PresenceEventKind.STARTED,
        "room",
        id,
        Optional.empty(),
        Optional.of(id),
        Optional.empty(),
        at(at),
        false,
        false,
        Optional.of(PresenceEvent.WaitingChange.WAITING));
  }

  @Test
  void aVisitThatEndedByThenIsNotTheMeetings() {
    PresenceEvent during = left("during", -60, 1);
    PresenceEvent since = joined("since", 1);
    PresenceEvent asks = waiting("asks", 1);
    assertThat(
            own(
                ASKED_FOR,
                left("before", -60, 0),
                joined("before", -60),
                waiting("waited", -1),
                during,
                since,
                asks))
        .containsExactly(during, since, asks);
  }

  @Test
  void aVisitThatBeganByThenIsNotOfAMeetingByRule() {
    PresenceEvent since = left("since", 1, 2);
    assertThat(own(BY_RULE, left("during", -60, 1), joined("before", 0), since))
        .containsExactly(since);
  }

  @Test
  void whoIsKnownIsInTheMeetingUnlessAnotherMayHaveTheId() {
    List<ParticipantSession> known = List.of(found("here", 2));
    List<PresenceEvent> events = List.of(joined("here", -60), left("here", -60, -1));
    assertThat(ASKED_FOR.own(events, known, ConnectionIds.UNIQUE)).isEqualTo(events);
    assertThat(ASKED_FOR.own(events, known, ConnectionIds.REUSED)).isEmpty();
  }

  /** Two clocks may differ. */
  @Test
  void aJoinFromShortlyBeforeIsTheMeetingsUnlessTheRoomHadAnotherOwner() {
    PresenceEvent came = joined("came", -10);
    PresenceEvent went = left("came", -10, -5);
    List<ParticipantSession> known = List.of(open("came", -10));
    MeetingBegin ofAnother = MeetingBegin.askedFor(at(2), Optional.of(at(-9)));
    for (ConnectionIds ids : ConnectionIds.values()) {
      assertThat(ASKED_FOR.own(List.of(came), List.of(), ids)).containsExactly(came);
      assertThat(ASKED_FOR.own(List.of(went, came), List.of(), ids)).containsExactly(went, came);
      assertThat(ASKED_FOR.own(List.of(went), known, ids)).containsExactly(went);
      assertThat(ASKED_FOR.own(List.of(joined("gone", -13)), List.of(), ids)).isEmpty();
      assertThat(ofAnother.own(List.of(went, came), List.of(), ids)).isEmpty();
    }
  }

  @Test
  void whatABotReportsAndTheEndOfTheRoomsSessionStay() {
    PresenceEvent came = byBot(joined("came", -60));
    PresenceEvent went = byBot(left("went", -60, -1));
    assertThat(own(ASKED_FOR, came, went, ended(-1))).containsExactly(came, went, ended(-1));
  }
}

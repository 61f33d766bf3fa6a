package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.recordings.MeetingMatch.MatchCandidate;
import io.convoke.server.recordings.MeetingMatch.MatchedAttendance;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The meeting of a recording, and ambiguous cases. */
class MeetingMatchTest {
  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");
  private static final Optional<Instant> MIDDLE = Optional.of(at(30));

  @Test
  void theOnlyMeetingOfTheRoomIsTheOne() {
    assertThat(MeetingMatch.decide(List.of(meeting(1, 7, 0, 60)), MIDDLE))
        .isEqualTo(MeetingAssignment.in(1, 7));
  }

  @Test
  void anUnknownRoomHasNoMeeting() {
    assertThat(MeetingMatch.decide(List.of(), MIDDLE))
        .isEqualTo(MeetingAssignment.unknown(List.of()));
  }

  @Test
  void thePeopleOfTheRecordedMeetingDecideBetweenOverlappingOnes() {
    assertThat(
            MeetingMatch.decide(
                List.of(
                    meeting(1, 7, 0, 60).with(MatchedAttendance.OTHERS),
                    meeting(2, 8, 20, 90).with(MatchedAttendance.THEIRS)),
                MIDDLE))
        .isEqualTo(MeetingAssignment.in(2, 8));
  }

  /** Two users in one room: presence of one meeting is known before that of the other. */
  @Test
  void aMeetingWithoutKnownParticipantsIsNotExcluded() {
    MatchCandidate heard = meeting(1, 7, 0, 60).with(MatchedAttendance.THEIRS);
    MatchCandidate behind = meeting(2, 8, 0, 60);
    assertThat(MeetingMatch.decide(List.of(heard, behind), MIDDLE))
        .isEqualTo(MeetingAssignment.unknown(List.of(1L, 2L)));
  }

  @Test
  void otherPeopleAloneDecideNothing() {
    MatchCandidate others = meeting(1, 7, 0, 60).with(MatchedAttendance.OTHERS);
    assertThat(MeetingMatch.decide(List.of(others, meeting(2, 8, 0, 60)), MIDDLE))
        .isEqualTo(MeetingAssignment.unknown(List.of(1L, 2L)));
  }

  @Test
  void ofMeetingsOneAfterAnotherTheOneOfTheMiddleIsTaken() {
    assertThat(MeetingMatch.decide(List.of(meeting(1, 7, 0, 10), meeting(2, 8, 11, 60)), MIDDLE))
        .isEqualTo(MeetingAssignment.in(2, 8));
  }

  /** Platforms report whole seconds, and a row begins when tracking starts, not the meeting. */
  @Test
  void aMeetingThatWasFollowedAMomentLaterIsNoLaterMeeting() {
    MatchCandidate first = meeting(1, 7, 0, 60);
    MatchCandidate second =
        new MatchCandidate(
            2, 8, true, at(0).plusSeconds(2), Optional.of(at(60)), MatchedAttendance.UNKNOWN);
    assertThat(MeetingMatch.decide(List.of(first, second), Optional.of(at(0).plusSeconds(1))))
        .isEqualTo(MeetingAssignment.unknown(List.of(1L, 2L)));
  }

  @Test
  void twoUsersInOneRoomAtOneTimeAreAmbiguous() {
    assertThat(MeetingMatch.decide(List.of(meeting(1, 7, 0, 60), meeting(2, 8, 0, 60)), MIDDLE))
        .isEqualTo(MeetingAssignment.unknown(List.of(1L, 2L)));
  }

  @Test
  void aUsersBotAndTrackedRowAreOneMeetingAndTheTrackedRowHasIt() {
    MatchCandidate bot =
        new MatchCandidate(1, 7, false, at(0), Optional.of(at(60)), MatchedAttendance.UNKNOWN);
    MatchCandidate tracked =
        new MatchCandidate(2, 7, true, at(0), Optional.empty(), MatchedAttendance.THEIRS);
    assertThat(MeetingMatch.decide(List.of(bot, tracked), MIDDLE))
        .isEqualTo(MeetingAssignment.in(2, 7));
    assertThat(MeetingMatch.decide(List.of(bot, bot), MIDDLE).owned()).isEmpty();
  }

  private static MatchCandidate meeting(long id, long user, int from, int until) {
    return new MatchCandidate(
        id, user, true, at(from), Optional.of(at(until)), MatchedAttendance.UNKNOWN);
  }

  private static Instant at(int minute) {
    return NINE.plusSeconds(60L * minute);
  }
}

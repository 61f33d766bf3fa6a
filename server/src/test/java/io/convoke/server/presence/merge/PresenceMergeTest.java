package io.convoke.server.presence.merge;

import static io.convoke.server.presence.merge.MergeFacts.at;
import static io.convoke.server.presence.merge.MergeFacts.byBot;
import static io.convoke.server.presence.merge.MergeFacts.ended;
import static io.convoke.server.presence.merge.MergeFacts.found;
import static io.convoke.server.presence.merge.MergeFacts.joined;
import static io.convoke.server.presence.merge.MergeFacts.left;
import static io.convoke.server.presence.merge.MergeFacts.merge;
import static io.convoke.server.presence.merge.MergeFacts.open;
import static io.convoke.server.presence.merge.MergeFacts.person;
import static io.convoke.server.presence.merge.MergeFacts.snapshot;
import static io.convoke.server.presence.merge.MergeFacts.written;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The table of cases that a merge of rows, events and snapshots must get right. */
class PresenceMergeTest {
  @Test
  void aSnapshotAddsWhoIsMissingAndKeepsWhoIsThere() {
    MergeDecision mergeDecision =
        merge(
            List.of(open("1", -60), open("2", -60)),
            snapshot(0, person("1", -60), person("2", -60), person("3", -5)));

    assertThat(mergeDecision.upserts())
        .extracting(ParticipantSession::sessionId)
        .containsExactly("3");
    assertThat(mergeDecision.upserts().getFirst().joinedAt()).isEqualTo(at(-5));
    assertThat(mergeDecision.closes()).isEmpty();
    assertThat(mergeDecision.confirmAt()).isEmpty();
    assertThat(mergeDecision.changes())
        .singleElement()
        .satisfies(
            presenceChange -> {
              assertThat(presenceChange).isInstanceOf(PresenceChange.Joined.class);
              assertThat(presenceChange.source()).isEqualTo(ChangeSource.POLL);
            });
  }

  @Test
  void aJoinAndItsRepetitionAreOneStay() {
    MergeDecision first = merge(List.of(), joined("1", 0), joined("1", 0));
    MergeDecision again = merge(written(List.of(), first), joined("1", 0));

    assertThat(first.upserts()).hasSize(1);
    assertThat(again.upserts()).isEmpty();
    assertThat(again.changes()).isEmpty();
  }

  @Test
  void theJoinOfAnEventAndOfASnapshotAreOneStayHoweverFarTheirTimesDiffer() {
    for (double shown : new double[] {-300, -14, -1, 1, 2.1, 14, 300}) {
      MergeDecision mergeDecision =
          merge(
              List.of(open("1", 0)),
              List.of(joined("1", 0)),
              Optional.of(snapshot(20, person("1", shown))));

      assertThat(mergeDecision.moved()).as("shown at %s", shown).isEmpty();
      assertThat(mergeDecision.upserts()).isEmpty();
      assertThat(mergeDecision.closes()).isEmpty();
      assertThat(mergeDecision.changes()).isEmpty();
    }
  }

  @Test
  void theTimeOfAnEventReplacesTheTimeOfASnapshot() {
    for (double told : new double[] {-14, 14}) {
      List<ParticipantSession> rows = List.of(found("1", 0));
      MergeDecision mergeDecision = merge(rows, joined("1", told));

      assertThat(mergeDecision.moved())
          .singleElement()
          .matches(it -> it.from().equals(at(0)) && it.session().joinedAt().equals(at(told)));
      assertThat(mergeDecision.changes()).isEmpty();
      assertThat(written(rows, mergeDecision))
          .singleElement()
          .matches(it -> it.joinedAt().equals(at(told)) && it.open());
      assertThat(merge(written(rows, mergeDecision), joined("1", told)).moved()).isEmpty();
    }
  }

  @Test
  void aLeaveCorrectsTheStartFromASnapshot() {
    List<ParticipantSession> rows = List.of(found("1", 0));
    MergeDecision mergeDecision = merge(rows, left("1", -14, -2));

    assertThat(mergeDecision.changes()).singleElement().isInstanceOf(PresenceChange.Left.class);
    assertThat(written(rows, mergeDecision))
        .singleElement()
        .matches(it -> it.joinedAt().equals(at(-14)) && it.leftAt().equals(Optional.of(at(-2))));
    assertThat(merge(written(rows, mergeDecision), joined("1", -14)).changes()).isEmpty();
  }

  @Test
  void aStayThatASnapshotEndedIsNotOpenedByItsLateJoin() {
    ParticipantSession over = found("1", 0).left(at(3), ChangeSource.POLL);
    MergeDecision mergeDecision = merge(List.of(over), joined("1", 5));

    assertThat(mergeDecision.changes()).isEmpty();
    assertThat(written(List.of(over), mergeDecision))
        .singleElement()
        .matches(it -> it.joinedAt().equals(at(5)) && it.leftAt().equals(Optional.of(at(5))));
  }

  @Test
  void aLateJoinIsAbsentSinceTheSnapshotThatShouldHaveShownIt() {
    MergeDecision told = told(joined("1", 0), 20);
    MergeDecision looked = merge(written(List.of(), told), snapshot(35.3));
    MergeDecision shown = merge(written(List.of(), told), snapshot(35.3, person("1", 0)));

    assertThat(told.upserts()).singleElement().matches(ParticipantSession::open);
    assertThat(told.confirmAt()).contains(at(35).plus(PresenceMerge.SLACK));
    assertThat(looked.closes())
        .singleElement()
        .extracting(ParticipantSession::leftAt)
        .isEqualTo(Optional.of(at(0)));
    assertThat(shown.changes()).isEmpty();
    assertThat(shown.confirmAt()).isEmpty();
  }

  @Test
  void aSnapshotThatMayPredateAJoinIsNoEvidence() {
    assertThat(told(joined("1", 0), 14).confirmAt()).isEmpty();
  }

  private static MergeDecision told(PresenceEvent evidence, double provenAt) {
    return PresenceMerge.decide(
        List.of(),
        Optional.of(at(provenAt)),
        List.of(evidence),
        Optional.empty(),
        ChangeSource.WEBHOOK,
        ConnectionIds.UNIQUE);
  }

  @Test
  void aLeaveEndsTheStayAtTheTimeThatItNames() {
    MergeDecision mergeDecision = merge(List.of(open("1", 0)), left("1", 0, 40.2));

    assertThat(mergeDecision.closes())
        .singleElement()
        .extracting(ParticipantSession::leftAt)
        .isEqualTo(Optional.of(at(40.2)));
    assertThat(mergeDecision.changes()).singleElement().isInstanceOf(PresenceChange.Left.class);
  }

  @Test
  void aLeaveThatArrivesBeforeItsJoinRecordsTheWholeVisitOnce() {
    MergeDecision early = merge(List.of(), left("1", 0, 3));
    MergeDecision late = merge(written(List.of(), early), joined("1", 0));

    assertThat(early.upserts())
        .singleElement()
        .satisfies(
            stay -> {
              assertThat(stay.joinedAt()).isEqualTo(at(0));
              assertThat(stay.leftAt()).contains(at(3));
            });
    assertThat(early.changes()).hasSize(2);
    assertThat(late.upserts()).isEmpty();
    assertThat(late.changes()).isEmpty();
  }

  @Test
  void aVisitShorterThanAPollIsRecorded() {
    MergeDecision mergeDecision = merge(List.of(), left("1", 0, 0.7), joined("1", 0));

    assertThat(mergeDecision.upserts()).hasSize(1);
    assertThat(mergeDecision.upserts().getFirst().open()).isFalse();
    assertThat(mergeDecision.changes())
        .extracting(presenceChange -> presenceChange.getClass().getSimpleName())
        .containsExactly("Joined", "Left");
  }

  @Test
  void aLaggingSnapshotDoesNotCloseAYoungStayButNamesWhenItCanBeProven() {
    List<ParticipantSession> rows = List.of(open("1", -2));
    MergeDecision lagging = merge(rows, snapshot(0));
    MergeDecision caughtUp = merge(written(rows, lagging), snapshot(15.3, person("1", -2)));

    assertThat(lagging.closes()).isEmpty();
    assertThat(lagging.changes()).isEmpty();
    assertThat(lagging.confirmAt()).contains(at(15).plus(PresenceMerge.SLACK));
    assertThat(caughtUp.changes()).isEmpty();
    assertThat(caughtUp.confirmAt()).isEmpty();
  }

  @Test
  void aNewSessionWithALostLeaveEndsWithinOneLagOfTheFirstAbsence() {
    List<ParticipantSession> rows = List.of(open("1", -2));
    List<ParticipantSession> missed = written(rows, merge(rows, snapshot(0)));

    assertThat(merge(missed, snapshot(15.3)).closes()).hasSize(1);
  }

  @Test
  void aLaggingSnapshotDoesNotReopenAStayThatJustEnded() {
    ParticipantSession ended = open("1", -60).left(at(-3), ChangeSource.WEBHOOK);
    MergeDecision mergeDecision = merge(List.of(ended), snapshot(0, person("1", -60)));

    assertThat(mergeDecision.changes()).isEmpty();
    assertThat(mergeDecision.confirmAt()).contains(at(13).plus(PresenceMerge.SLACK));
  }

  @Test
  void presenceThatCannotBeOldReopensAStay() {
    ParticipantSession ended = open("1", -60).left(at(-20), ChangeSource.WEBHOOK);
    MergeDecision mergeDecision = merge(List.of(ended), snapshot(0, person("1", -60)));

    assertThat(mergeDecision.upserts()).singleElement().matches(ParticipantSession::open);
    assertThat(mergeDecision.changes()).singleElement().isInstanceOf(PresenceChange.Joined.class);
  }

  @Test
  void oneAbsenceClosesNoSessionAndTwoFarEnoughApartDo() {
    List<ParticipantSession> rows = List.of(open("1", -300), open("2", -300));
    MergeDecision first = merge(rows, snapshot(0, person("2", -300)));
    List<ParticipantSession> once = written(rows, first);
    MergeDecision tooSoon = merge(once, snapshot(14, person("2", -300)));
    MergeDecision second = merge(once, snapshot(15.5, person("2", -300)));

    assertThat(first.closes()).isEmpty();
    assertThat(first.confirmAt()).contains(at(15).plus(PresenceMerge.SLACK));
    assertThat(tooSoon.closes()).isEmpty();
    assertThat(tooSoon.confirmAt()).contains(at(15).plus(PresenceMerge.SLACK));
    assertThat(second.closes())
        .singleElement()
        .satisfies(
            stay -> {
              assertThat(stay.sessionId()).isEqualTo("1");
              // The last snapshot that showed it, not the one that missed it.
              assertThat(stay.leftAt()).contains(at(-30));
              assertThat(stay.leftSource()).contains(ChangeSource.POLL);
            });
  }

  @Test
  void aParticipantListedAgainWasNeverAbsent() {
    List<ParticipantSession> rows = List.of(open("1", -300));
    List<ParticipantSession> absent = written(rows, merge(rows, snapshot(0)));
    List<ParticipantSession> back = written(absent, merge(absent, snapshot(10, person("1", -300))));

    assertThat(merge(back, snapshot(20)).closes()).isEmpty();
  }

  @Test
  void allVanishingAtOnceNeedsASecondLook() {
    List<ParticipantSession> rows = List.of(open("1", -300), open("2", -300), open("3", -300));
    MergeDecision first = merge(rows, snapshot(0));
    MergeDecision second = merge(written(rows, first), snapshot(16));

    assertThat(first.closes()).isEmpty();
    assertThat(second.closes()).hasSize(3);
  }

  @Test
  void partialAndUnknownResponsesCloseNoSession() {
    List<ParticipantSession> rows = List.of(open("1", -300).absent(at(-30), at(-20)));
    RoomPresence partial =
        new RoomPresence.RoomPresencePartial(List.of(person("2", -10)), 2, at(0));
    RoomPresence unknown =
        new RoomPresence.RoomPresenceUnknown(
            PlatformError.of(PlatformError.PlatformErrorKind.NOT_FOUND), at(0));

    MergeDecision some = merge(rows, partial);
    assertThat(some.closes()).isEmpty();
    assertThat(some.upserts()).extracting(ParticipantSession::sessionId).containsExactly("2");
    assertThat(some.confirmAt()).isPresent();
    assertThat(merge(rows, unknown).changes()).isEmpty();
  }

  @Test
  void hiddenPeopleCannotBeAbsent() {
    List<ParticipantSession> rows = List.of(open("1", -300).hiddenIf(true));
    MergeDecision mergeDecision = merge(rows, snapshot(0));

    assertThat(mergeDecision.upserts()).isEmpty();
    assertThat(mergeDecision.closes()).isEmpty();
    assertThat(mergeDecision.confirmAt()).isEmpty();
  }

  @Test
  void namesMayBeNullAndANullErasesNothing() {
    Participant nameless = new Participant("1", Optional.empty(), Optional.empty(), at(-60));
    assertThat(merge(List.of(), snapshot(0, nameless)).upserts()).hasSize(1);
    assertThat(merge(List.of(open("1", -60)), snapshot(0, nameless)).upserts()).isEmpty();

    Participant renamed = new Participant("1", Optional.of("u"), Optional.of("Ada"), at(-60));
    assertThat(merge(List.of(open("1", -60)), snapshot(0, renamed)))
        .satisfies(
            mergeDecision -> {
              assertThat(mergeDecision.upserts().getFirst().userName()).contains("Ada");
              assertThat(mergeDecision.changes()).isEmpty();
            });
  }

  @Test
  void twoConnectionsOfOneUserAreTwoStays() {
    Participant one = new Participant("1", Optional.of("u"), Optional.of("Ada"), at(-5));
    Participant two = new Participant("2", Optional.of("u"), Optional.of("Ada"), at(-4));

    assertThat(merge(List.of(), snapshot(0, one, two)).upserts()).hasSize(2);
  }

  @Test
  void anIdThatABotReportsAgainAfterItsLeaveIsANewSession() {
    ParticipantSession first = open("1", -300).left(at(-200), ChangeSource.BOT);
    MergeDecision byEvent = merge(List.of(first), byBot(joined("1", -100)));
    MergeDecision bySnapshot =
        PresenceMerge.decide(
            List.of(first),
            Optional.empty(),
            List.of(),
            Optional.of(snapshot(0, person("1", -100))),
            ChangeSource.BOT,
            ConnectionIds.UNIQUE);

    assertThat(byEvent.upserts()).singleElement().matches(stay -> stay.joinedAt().equals(at(-100)));
    assertThat(bySnapshot.upserts())
        .singleElement()
        .matches(stay -> stay.joinedAt().equals(at(-100)));
    assertThat(byEvent.closes()).isEmpty();
  }

  @Test
  void aJoinReportedWithAnotherTimeIsTheSameSession() {
    List<ParticipantSession> rows = List.of(open("1", -300));

    assertThat(merge(rows, byBot(joined("1", -10))).changes()).isEmpty();
    assertThat(merge(rows, snapshot(0, person("1", -10))).changes()).isEmpty();
  }

  @Test
  void aLateLeaveOfAnEarlierStayLeavesTheNewOneOpen() {
    ParticipantSession first = open("1", -300).left(at(-200), ChangeSource.POLL);
    ParticipantSession second = open("1", -100);
    MergeDecision mergeDecision = merge(List.of(first, second), byBot(left("1", -300, -190)));

    assertThat(mergeDecision.closes())
        .singleElement()
        .satisfies(
            stay -> {
              assertThat(stay.joinedAt()).isEqualTo(at(-300));
              assertThat(stay.leftAt()).contains(at(-190));
            });
    assertThat(mergeDecision.changes()).isEmpty();
  }
}

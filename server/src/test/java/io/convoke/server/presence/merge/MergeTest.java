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

import io.convoke.server.platform.Outage;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.merge.Decision.Change;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The table of cases that a merge of rows, events and snapshots must get right. */
class MergeTest {
  @Test
  void aSnapshotAddsWhoIsMissingAndKeepsWhoIsThere() {
    Decision decision =
        merge(
            List.of(open("1", -60), open("2", -60)),
            snapshot(0, person("1", -60), person("2", -60), person("3", -5)));

    assertThat(decision.upserts()).extracting(Session::sessionId).containsExactly("3");
    assertThat(decision.upserts().getFirst().joinedAt()).isEqualTo(at(-5));
    assertThat(decision.closes()).isEmpty();
    assertThat(decision.confirmAt()).isEmpty();
    assertThat(decision.changes())
        .singleElement()
        .satisfies(
            change -> {
              assertThat(change).isInstanceOf(Change.Joined.class);
              assertThat(change.source()).isEqualTo(Source.POLL);
            });
  }

  @Test
  void aJoinAndItsRepetitionAreOneStay() {
    Decision first = merge(List.of(), joined("1", 0), joined("1", 0));
    Decision again = merge(written(List.of(), first), joined("1", 0));

    assertThat(first.upserts()).hasSize(1);
    assertThat(again.upserts()).isEmpty();
    assertThat(again.changes()).isEmpty();
  }

  @Test
  void theJoinOfAnEventAndOfASnapshotAreOneStayHoweverFarTheirTimesDiffer() {
    for (double shown : new double[] {-300, -14, -1, 1, 2.1, 14, 300}) {
      Decision decision =
          merge(
              List.of(open("1", 0)),
              List.of(joined("1", 0)),
              Optional.of(snapshot(20, person("1", shown))));

      assertThat(decision.moved()).as("shown at %s", shown).isEmpty();
      assertThat(decision.upserts()).isEmpty();
      assertThat(decision.closes()).isEmpty();
      assertThat(decision.changes()).isEmpty();
    }
  }

  @Test
  void theTimeOfAnEventReplacesTheTimeOfASnapshot() {
    for (double told : new double[] {-14, 14}) {
      List<Session> rows = List.of(found("1", 0));
      Decision decision = merge(rows, joined("1", told));

      assertThat(decision.moved())
          .singleElement()
          .matches(it -> it.from().equals(at(0)) && it.stay().joinedAt().equals(at(told)));
      assertThat(decision.changes()).isEmpty();
      assertThat(written(rows, decision))
          .singleElement()
          .matches(it -> it.joinedAt().equals(at(told)) && it.open());
      assertThat(merge(written(rows, decision), joined("1", told)).moved()).isEmpty();
    }
  }

  @Test
  void aLeaveCorrectsTheBeginThatASnapshotTold() {
    List<Session> rows = List.of(found("1", 0));
    Decision decision = merge(rows, left("1", -14, -2));

    assertThat(decision.changes()).singleElement().isInstanceOf(Change.Left.class);
    assertThat(written(rows, decision))
        .singleElement()
        .matches(it -> it.joinedAt().equals(at(-14)) && it.leftAt().equals(Optional.of(at(-2))));
    assertThat(merge(written(rows, decision), joined("1", -14)).changes()).isEmpty();
  }

  @Test
  void aStayThatASnapshotEndedIsNotOpenedByItsLateJoin() {
    Session over = found("1", 0).left(at(3), Source.POLL);
    Decision decision = merge(List.of(over), joined("1", 5));

    assertThat(decision.changes()).isEmpty();
    assertThat(written(List.of(over), decision))
        .singleElement()
        .matches(it -> it.joinedAt().equals(at(5)) && it.leftAt().equals(Optional.of(at(5))));
  }

  @Test
  void aJoinThatIsToldLateWasAbsentSinceTheSnapshotThatShouldHaveShownIt() {
    Decision told = told(joined("1", 0), 20);
    Decision looked = merge(written(List.of(), told), snapshot(35.3));
    Decision shown = merge(written(List.of(), told), snapshot(35.3, person("1", 0)));

    assertThat(told.upserts()).singleElement().matches(Session::open);
    assertThat(told.confirmAt()).contains(at(35).plus(Merge.SLACK));
    assertThat(looked.closes())
        .singleElement()
        .extracting(Session::leftAt)
        .isEqualTo(Optional.of(at(0)));
    assertThat(shown.changes()).isEmpty();
    assertThat(shown.confirmAt()).isEmpty();
  }

  @Test
  void aSnapshotThatMayPredateAJoinSaysNothingAboutIt() {
    assertThat(told(joined("1", 0), 14).confirmAt()).isEmpty();
  }

  private static Decision told(PresenceEvent evidence, double provenAt) {
    return Merge.decide(
        List.of(), Optional.of(at(provenAt)), List.of(evidence), Optional.empty(), Source.WEBHOOK);
  }

  @Test
  void aLeaveEndsTheStayAtTheTimeThatItNames() {
    Decision decision = merge(List.of(open("1", 0)), left("1", 0, 40.2));

    assertThat(decision.closes())
        .singleElement()
        .extracting(Session::leftAt)
        .isEqualTo(Optional.of(at(40.2)));
    assertThat(decision.changes()).singleElement().isInstanceOf(Change.Left.class);
  }

  @Test
  void aLeaveThatArrivesBeforeItsJoinRecordsTheWholeVisitOnce() {
    Decision early = merge(List.of(), left("1", 0, 3));
    Decision late = merge(written(List.of(), early), joined("1", 0));

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
    Decision decision = merge(List.of(), left("1", 0, 0.7), joined("1", 0));

    assertThat(decision.upserts()).hasSize(1);
    assertThat(decision.upserts().getFirst().open()).isFalse();
    assertThat(decision.changes())
        .extracting(change -> change.getClass().getSimpleName())
        .containsExactly("Joined", "Left");
  }

  @Test
  void aLaggingSnapshotDoesNotCloseAYoungStayButNamesWhenItCanBeProven() {
    List<Session> rows = List.of(open("1", -2));
    Decision lagging = merge(rows, snapshot(0));
    Decision caughtUp = merge(written(rows, lagging), snapshot(15.3, person("1", -2)));

    assertThat(lagging.closes()).isEmpty();
    assertThat(lagging.changes()).isEmpty();
    assertThat(lagging.confirmAt()).contains(at(15).plus(Merge.SLACK));
    assertThat(caughtUp.changes()).isEmpty();
    assertThat(caughtUp.confirmAt()).isEmpty();
  }

  @Test
  void aYoungStayWhoseLeaveWasLostIsOverWithinOneLagOfTheFirstLookThatMissesIt() {
    List<Session> rows = List.of(open("1", -2));
    List<Session> missed = written(rows, merge(rows, snapshot(0)));

    assertThat(merge(missed, snapshot(15.3)).closes()).hasSize(1);
  }

  @Test
  void aLaggingSnapshotDoesNotReopenAStayThatJustEnded() {
    Session ended = open("1", -60).left(at(-3), Source.WEBHOOK);
    Decision decision = merge(List.of(ended), snapshot(0, person("1", -60)));

    assertThat(decision.changes()).isEmpty();
    assertThat(decision.confirmAt()).contains(at(13).plus(Merge.SLACK));
  }

  @Test
  void presenceThatCannotBeOldReopensAStay() {
    Session ended = open("1", -60).left(at(-20), Source.WEBHOOK);
    Decision decision = merge(List.of(ended), snapshot(0, person("1", -60)));

    assertThat(decision.upserts()).singleElement().matches(Session::open);
    assertThat(decision.changes()).singleElement().isInstanceOf(Change.Joined.class);
  }

  @Test
  void oneAbsenceClosesNobodyAndTwoFarEnoughApartClose() {
    List<Session> rows = List.of(open("1", -300), open("2", -300));
    Decision first = merge(rows, snapshot(0, person("2", -300)));
    List<Session> once = written(rows, first);
    Decision tooSoon = merge(once, snapshot(14, person("2", -300)));
    Decision second = merge(once, snapshot(15.5, person("2", -300)));

    assertThat(first.closes()).isEmpty();
    assertThat(first.confirmAt()).contains(at(15).plus(Merge.SLACK));
    assertThat(tooSoon.closes()).isEmpty();
    assertThat(tooSoon.confirmAt()).contains(at(15).plus(Merge.SLACK));
    assertThat(second.closes())
        .singleElement()
        .satisfies(
            stay -> {
              assertThat(stay.sessionId()).isEqualTo("1");
              // The last snapshot that showed it, not the one that missed it.
              assertThat(stay.leftAt()).contains(at(-30));
              assertThat(stay.leftSource()).contains(Source.POLL);
            });
  }

  @Test
  void whoIsSeenAgainWasNeverAway() {
    List<Session> rows = List.of(open("1", -300));
    List<Session> absent = written(rows, merge(rows, snapshot(0)));
    List<Session> back = written(absent, merge(absent, snapshot(10, person("1", -300))));

    assertThat(merge(back, snapshot(20)).closes()).isEmpty();
  }

  @Test
  void allVanishingAtOnceNeedsASecondLook() {
    List<Session> rows = List.of(open("1", -300), open("2", -300), open("3", -300));
    Decision first = merge(rows, snapshot(0));
    Decision second = merge(written(rows, first), snapshot(16));

    assertThat(first.closes()).isEmpty();
    assertThat(second.closes()).hasSize(3);
  }

  @Test
  void partialAndUnknownAnswersCloseNobody() {
    List<Session> rows = List.of(open("1", -300).absent(at(-30), at(-20)));
    RoomPresence partial = new RoomPresence.Partial(List.of(person("2", -10)), 2, at(0));
    RoomPresence unknown = new RoomPresence.Unknown(Outage.of(Outage.Cause.NOT_FOUND), at(0));

    Decision some = merge(rows, partial);
    assertThat(some.closes()).isEmpty();
    assertThat(some.upserts()).extracting(Session::sessionId).containsExactly("2");
    assertThat(some.confirmAt()).isPresent();
    assertThat(merge(rows, unknown).changes()).isEmpty();
  }

  @Test
  void hiddenPeopleCannotBeAbsent() {
    List<Session> rows = List.of(open("1", -300).hiddenIf(true));
    Decision decision = merge(rows, snapshot(0));

    assertThat(decision.upserts()).isEmpty();
    assertThat(decision.closes()).isEmpty();
    assertThat(decision.confirmAt()).isEmpty();
  }

  @Test
  void namesMayBeNullAndANullErasesNothing() {
    Participant nameless = new Participant("1", Optional.empty(), Optional.empty(), at(-60));
    assertThat(merge(List.of(), snapshot(0, nameless)).upserts()).hasSize(1);
    assertThat(merge(List.of(open("1", -60)), snapshot(0, nameless)).upserts()).isEmpty();

    Participant renamed = new Participant("1", Optional.of("u"), Optional.of("Ada"), at(-60));
    assertThat(merge(List.of(open("1", -60)), snapshot(0, renamed)))
        .satisfies(
            decision -> {
              assertThat(decision.upserts().getFirst().userName()).contains("Ada");
              assertThat(decision.changes()).isEmpty();
            });
  }

  @Test
  void twoConnectionsOfOneUserAreTwoStays() {
    Participant one = new Participant("1", Optional.of("u"), Optional.of("Ada"), at(-5));
    Participant two = new Participant("2", Optional.of("u"), Optional.of("Ada"), at(-4));

    assertThat(merge(List.of(), snapshot(0, one, two)).upserts()).hasSize(2);
  }

  @Test
  void anIdThatABotSeesAgainAfterItsLeaveIsANewStay() {
    Session first = open("1", -300).left(at(-200), Source.BOT);
    Decision byEvent = merge(List.of(first), byBot(joined("1", -100)));
    Decision bySnapshot =
        Merge.decide(
            List.of(first),
            Optional.empty(),
            List.of(),
            Optional.of(snapshot(0, person("1", -100))),
            Source.BOT);

    assertThat(byEvent.upserts()).singleElement().matches(stay -> stay.joinedAt().equals(at(-100)));
    assertThat(bySnapshot.upserts())
        .singleElement()
        .matches(stay -> stay.joinedAt().equals(at(-100)));
    assertThat(byEvent.closes()).isEmpty();
  }

  @Test
  void aBotThatTellsAnotherTimeOfAJoinTellsOfTheSameStay() {
    List<Session> rows = List.of(open("1", -300));

    assertThat(merge(rows, byBot(joined("1", -10))).changes()).isEmpty();
    assertThat(merge(rows, snapshot(0, person("1", -10))).changes()).isEmpty();
  }

  @Test
  void aLateLeaveOfAnEarlierStayLeavesTheNewOneOpen() {
    Session first = open("1", -300).left(at(-200), Source.POLL);
    Session second = open("1", -100);
    Decision decision = merge(List.of(first, second), byBot(left("1", -300, -190)));

    assertThat(decision.closes())
        .singleElement()
        .satisfies(
            stay -> {
              assertThat(stay.joinedAt()).isEqualTo(at(-300));
              assertThat(stay.leftAt()).contains(at(-190));
            });
    assertThat(decision.changes()).isEmpty();
  }
}

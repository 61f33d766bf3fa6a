package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.server.platform.Outage;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.Decision.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The table of cases that a merge of rows, events and snapshots must get right. */
class MergeTest {
  private static final Instant T = Instant.parse("2026-03-02T09:00:00Z");

  private static Instant at(double seconds) {
    return T.plusMillis(Math.round(seconds * 1000));
  }

  private static Session open(String id, double joined) {
    return Session.joined(id, Optional.empty(), Optional.of(id), at(joined), Source.WEBHOOK, false);
  }

  private static Evidence joined(String id, double joined) {
    return new Evidence(
        "j-" + id + joined,
        Evidence.Kind.JOINED,
        "room",
        id,
        Optional.empty(),
        Optional.of(id),
        Optional.of(at(joined)),
        at(joined),
        false);
  }

  private static Evidence left(String id, double joined, double left) {
    return new Evidence(
        "l-" + id + left,
        Evidence.Kind.LEFT,
        "room",
        id,
        Optional.empty(),
        Optional.of(id),
        Optional.of(at(joined)),
        at(left),
        false);
  }

  private static Evidence ended(double at) {
    return new Evidence(
        "e-" + at,
        Evidence.Kind.ENDED,
        "room",
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        at(at),
        false);
  }

  private static Participant person(String id, double joined) {
    return new Participant(id, Optional.empty(), Optional.of(id), at(joined));
  }

  private static RoomPresence snapshot(double fetchedAt, Participant... people) {
    return new RoomPresence.Complete(List.of(people), at(fetchedAt));
  }

  private static Decision merge(
      List<Session> known, List<Evidence> evidence, Optional<RoomPresence> snapshot) {
    return Merge.decide(known, Optional.of(at(-30)), evidence, snapshot, Source.POLL);
  }

  private static Decision merge(List<Session> known, RoomPresence snapshot) {
    return merge(known, List.of(), Optional.of(snapshot));
  }

  private static Decision merge(List<Session> known, Evidence... evidence) {
    return merge(known, List.of(evidence), Optional.empty());
  }

  /** The rows after a decision was written. */
  private static List<Session> written(List<Session> known, Decision decision) {
    List<Session> rows = new ArrayList<>(known);
    List<Session> changed = new ArrayList<>(decision.upserts());
    changed.addAll(decision.closes());
    for (Session row : changed) {
      rows.removeIf(
          it -> it.sessionId().equals(row.sessionId()) && it.joinedAt().equals(row.joinedAt()));
      rows.add(row);
    }
    return rows;
  }

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
  void theJoinOfAnEventAndOfASnapshotAreOneStayAlthoughTheirClocksDiffer() {
    Decision decision =
        merge(
            List.of(open("1", 0.4)),
            List.of(joined("1", 0)),
            Optional.of(snapshot(20, person("1", 1))));

    assertThat(decision.upserts()).isEmpty();
    assertThat(decision.closes()).isEmpty();
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
    assertThat(decision.confirmAt()).contains(at(12).plus(Merge.SLACK));
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
  void aRejoinIsANewStay() {
    Session first = open("1", -300).left(at(-200), Source.WEBHOOK);
    Decision byEvent = merge(List.of(first), joined("1", -100));
    Decision bySnapshot = merge(List.of(first), snapshot(0, person("1", -100)));

    assertThat(byEvent.upserts()).singleElement().matches(stay -> stay.joinedAt().equals(at(-100)));
    assertThat(bySnapshot.upserts())
        .singleElement()
        .matches(stay -> stay.joinedAt().equals(at(-100)));
    assertThat(byEvent.closes()).isEmpty();
  }

  @Test
  void aRejoinWhoseLeaveWasLostEndsTheStayBefore() {
    Decision decision = merge(List.of(open("1", -300)), joined("1", -10));

    assertThat(decision.closes())
        .singleElement()
        .matches(stay -> stay.leftAt().equals(Optional.of(at(-30))));
    assertThat(decision.upserts()).singleElement().matches(Session::open);
  }

  @Test
  void aLateLeaveOfAnEarlierStayLeavesTheNewOneOpen() {
    Session first = open("1", -300).left(at(-200), Source.POLL);
    Session second = open("1", -100);
    Decision decision = merge(List.of(first, second), left("1", -300, -190));

    assertThat(decision.closes())
        .singleElement()
        .satisfies(
            stay -> {
              assertThat(stay.joinedAt()).isEqualTo(at(-300));
              assertThat(stay.leftAt()).contains(at(-190));
            });
    assertThat(decision.changes()).isEmpty();
  }

  @Test
  void theEndOfTheMeetingClosesWhoCameBeforeIt() {
    List<Session> rows =
        List.of(open("1", -300), open("2", -300).absent(at(-40), at(-30)), open("3", 5));
    Decision decision = merge(rows, ended(0));

    assertThat(decision.closes())
        .extracting(Session::sessionId, stay -> stay.leftAt().orElseThrow())
        .containsExactlyInAnyOrder(tuple("1", at(0)), tuple("2", at(-40)));
  }

  @Test
  void aLeaveAfterTheMeetingEndedGivesTheExactEnd() {
    List<Session> rows = List.of(open("1", -300));
    List<Session> closed = written(rows, merge(rows, ended(0)));
    Decision decision = merge(closed, left("1", -300, -21));

    assertThat(decision.closes())
        .singleElement()
        .matches(stay -> stay.leftAt().equals(Optional.of(at(-21))));
    assertThat(decision.changes()).isEmpty();
  }

  @Test
  void noStayEndsBeforeItBegan() {
    assertThat(merge(List.of(), left("1", 0, -5)).upserts().getFirst().leftAt()).contains(at(0));
  }

  @Test
  void anyOrderOfTheSameEventsGivesTheSameStays() {
    List<Evidence> events =
        List.of(
            joined("1", 0),
            joined("2", 1),
            left("1", 0, 10),
            joined("1", 20),
            left("2", 1, 30),
            joined("3", 31),
            left("1", 20, 40));
    List<Session> expected = written(List.of(), merge(List.of(), events, Optional.empty()));
    Random random = new Random(7);
    for (int run = 0; run < 2000; run++) {
      List<Evidence> shuffled = new ArrayList<>(events);
      shuffled.addAll(events.subList(0, random.nextInt(events.size())));
      Collections.shuffle(shuffled, random);
      List<Session> rows = List.of();
      int from = 0;
      while (from < shuffled.size()) {
        int to = Math.min(shuffled.size(), from + 1 + random.nextInt(3));
        rows = written(rows, merge(rows, shuffled.subList(from, to), Optional.empty()));
        from = to;
      }
      assertThat(rows)
          .as("run %d of %s", run, shuffled)
          .extracting(Session::sessionId, Session::joinedAt, Session::leftAt)
          .containsExactlyInAnyOrderElementsOf(
              expected.stream()
                  .map(stay -> tuple(stay.sessionId(), stay.joinedAt(), stay.leftAt()))
                  .toList());
    }
  }

  @Test
  void decidingAgainAfterItWasWrittenChangesNothing() {
    List<Session> rows = List.of(open("1", -300), open("2", -10));
    List<Evidence> evidence = List.of(joined("3", -1), left("1", -300, -2));
    RoomPresence seen = snapshot(0, person("2", -10), person("4", -20));
    Decision first = merge(rows, evidence, Optional.of(seen));
    Decision again = merge(written(rows, first), evidence, Optional.of(seen));

    assertThat(again.changes()).isEmpty();
    assertThat(again.upserts()).isEmpty();
    assertThat(again.closes()).isEmpty();
    assertThat(Duration.between(T, first.confirmAt().orElseThrow())).isPositive();
  }
}

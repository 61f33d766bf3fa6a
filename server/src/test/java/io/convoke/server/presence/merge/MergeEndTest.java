package io.convoke.server.presence.merge;

import static io.convoke.server.presence.merge.MergeFacts.T;
import static io.convoke.server.presence.merge.MergeFacts.at;
import static io.convoke.server.presence.merge.MergeFacts.byBot;
import static io.convoke.server.presence.merge.MergeFacts.ended;
import static io.convoke.server.presence.merge.MergeFacts.joined;
import static io.convoke.server.presence.merge.MergeFacts.left;
import static io.convoke.server.presence.merge.MergeFacts.merge;
import static io.convoke.server.presence.merge.MergeFacts.open;
import static io.convoke.server.presence.merge.MergeFacts.person;
import static io.convoke.server.presence.merge.MergeFacts.snapshot;
import static io.convoke.server.presence.merge.MergeFacts.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sessions end with their meeting; neither order nor repetition matters. */
class MergeEndTest {
  @Test
  void theEndOfTheMeetingClosesWhoCameBeforeItOnceASnapshotAgrees() {
    List<ParticipantSession> rows =
        List.of(open("1", -300), open("2", -300).absent(at(-40), at(-30)), open("3", 5));
    MergeDecision told = merge(rows, ended(0));
    assertThat(told.closes())
        .extracting(ParticipantSession::sessionId, stay -> stay.leftAt().orElseThrow())
        .containsExactly(tuple("2", at(-40)));
    assertThat(told.confirmAt()).isPresent();

    assertThat(merge(written(rows, told), snapshot(14, person("3", 5))).closes()).isEmpty();
    assertThat(merge(rows, List.of(ended(0)), Optional.of(snapshot(16, person("3", 5)))).closes())
        .extracting(ParticipantSession::sessionId, stay -> stay.leftAt().orElseThrow())
        .containsExactlyInAnyOrder(tuple("1", at(0)), tuple("2", at(-40)));
  }

  /** Daily ends a meeting session when one participant was left alone for ten minutes. */
  @Test
  void whoIsStillThereAfterTheEndOfTheSessionStays() {
    List<ParticipantSession> rows = List.of(open("1", -900));
    List<ParticipantSession> told = written(rows, merge(rows, ended(0)));
    assertThat(told).allMatch(ParticipantSession::open);

    MergeDecision seen = merge(told, snapshot(20, person("1", -900)));
    assertThat(seen.changes()).isEmpty();
    assertThat(seen.present()).isEqualTo(1);
    MergeDecision late =
        PresenceMerge.decide(
            written(told, seen),
            Optional.of(at(20)),
            List.of(ended(0.5)),
            Optional.empty(),
            ChangeSource.POLL,
            ConnectionIds.UNIQUE);
    assertThat(late.changes()).isEmpty();
    assertThat(late.confirmAt()).isEmpty();
  }

  @Test
  void theEndThatABotReportsClosesAtOnce() {
    assertThat(merge(List.of(open("1", -300)), byBot(ended(0))).closes())
        .singleElement()
        .matches(stay -> stay.leftAt().equals(Optional.of(at(0))));
  }

  @Test
  void aLeaveAfterTheMeetingEndedGivesTheExactEnd() {
    List<ParticipantSession> rows = List.of(open("1", -300));
    List<ParticipantSession> closed =
        written(rows, merge(rows, List.of(ended(0)), Optional.of(snapshot(16))));
    MergeDecision mergeDecision = merge(closed, left("1", -300, -21));

    assertThat(mergeDecision.closes())
        .singleElement()
        .matches(stay -> stay.leftAt().equals(Optional.of(at(-21))));
    assertThat(mergeDecision.changes()).isEmpty();
  }

  @Test
  void noStayEndsBeforeItBegan() {
    assertThat(merge(List.of(), left("1", 0, -5)).upserts().getFirst().leftAt()).contains(at(0));
  }

  @Test
  void anyOrderOfTheSameEventsGivesTheSameSessions() {
    List<PresenceEvent> events =
        List.of(
            joined("1", 0),
            joined("2", 1),
            left("1", 0, 10),
            joined("4", 20),
            left("2", 1, 30),
            joined("3", 31),
            left("4", 20, 40));
    List<ParticipantSession> expected =
        written(List.of(), merge(List.of(), events, Optional.empty()));
    Random random = new Random(7);
    for (int run = 0; run < 2000; run++) {
      List<PresenceEvent> shuffled = new ArrayList<>(events);
      shuffled.addAll(events.subList(0, random.nextInt(events.size())));
      Collections.shuffle(shuffled, random);
      List<ParticipantSession> rows = List.of();
      int from = 0;
      while (from < shuffled.size()) {
        int to = Math.min(shuffled.size(), from + 1 + random.nextInt(3));
        rows = written(rows, merge(rows, shuffled.subList(from, to), Optional.empty()));
        from = to;
      }
      assertThat(rows)
          .as("run %d of %s", run, shuffled)
          .extracting(
              ParticipantSession::sessionId,
              ParticipantSession::joinedAt,
              ParticipantSession::leftAt)
          .containsExactlyInAnyOrderElementsOf(
              expected.stream()
                  .map(stay -> tuple(stay.sessionId(), stay.joinedAt(), stay.leftAt()))
                  .toList());
    }
  }

  @Test
  void decidingAgainAfterItWasWrittenChangesNothing() {
    List<ParticipantSession> rows = List.of(open("1", -300), open("2", -10));
    List<PresenceEvent> evidence = List.of(joined("3", -1), left("1", -300, -2));
    RoomPresence seen = snapshot(0, person("2", -10), person("4", -20));
    MergeDecision first = merge(rows, evidence, Optional.of(seen));
    MergeDecision again = merge(written(rows, first), evidence, Optional.of(seen));

    assertThat(again.changes()).isEmpty();
    assertThat(again.upserts()).isEmpty();
    assertThat(again.closes()).isEmpty();
    assertThat(Duration.between(T, first.confirmAt().orElseThrow())).isPositive();
  }
}

package io.convoke.server.presence.merge;

import static io.convoke.server.presence.merge.MergeFacts.at;
import static io.convoke.server.presence.merge.MergeFacts.joined;
import static io.convoke.server.presence.merge.MergeFacts.open;
import static io.convoke.server.presence.merge.MergeFacts.person;
import static io.convoke.server.presence.merge.MergeFacts.snapshot;
import static io.convoke.server.presence.merge.MergeFacts.written;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Where a client names its id, the same id may be several visits. */
class ReusedIdsTest {

  private static MergeDecision merge(
      List<ParticipantSession> known, List<PresenceEvent> events, Optional<RoomPresence> snapshot) {
    return PresenceMerge.decide(
        known, Optional.of(at(-30)), events, snapshot, ChangeSource.POLL, ConnectionIds.REUSED);
  }

  private static List<ParticipantSession> after(
      List<ParticipantSession> known, PresenceEvent... events) {
    return written(known, merge(known, List.of(events), Optional.empty()));
  }

  private static List<ParticipantSession> after(
      List<ParticipantSession> known, RoomPresence snapshot) {
    return written(known, merge(known, List.of(), Optional.of(snapshot)));
  }

  /** A leave as Janus reports it: without the time of the join. */
  private static PresenceEvent left(String id, double left) {
    return new PresenceEvent(
        "l-" + id + left,
        PresenceEvent.PresenceEventKind.LEFT,
        "room",
        id,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        at(left),
        false,
        false);
  }

  private static List<String> visits(List<ParticipantSession> rows) {
    List<ParticipantSession> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparing(ParticipantSession::joinedAt));
    return sorted.stream()
        .map(
            row ->
                seconds(row.joinedAt())
                    + "-"
                    + row.leftAt().map(ReusedIdsTest::seconds).orElse("open"))
        .toList();
  }

  private static String seconds(Instant time) {
    return Double.toString(Duration.between(MergeFacts.T, time).toMillis() / 1000.0);
  }

  @Test
  void aJoinAfterTheLeaveIsASecondVisit() {
    List<ParticipantSession> rows = after(List.of(), joined("alice", 1), left("alice", 5));
    assertThat(visits(after(rows, joined("alice", 5.5)))).containsExactly("1.0-5.0", "5.5-open");
  }

  @Test
  void aJoinOfAnIdThatIsOpenProvesThatItsLeaveWasLost() {
    List<ParticipantSession> rows =
        after(List.of(open("alice", 1)), snapshot(20, person("alice", 20)));
    rows = after(rows, joined("alice", 40));
    assertThat(visits(rows)).containsExactly("1.0-1.0", "40.0-open");
    assertThat(visits(after(rows, left("alice", 50)))).containsExactly("1.0-1.0", "40.0-50.0");
  }

  @Test
  void theJoinThatASnapshotFoundFirstIsTheSameVisit() {
    List<ParticipantSession> rows = after(List.of(), snapshot(3, person("alice", 3)));
    assertThat(visits(after(rows, joined("alice", 1)))).containsExactly("1.0-open");
    assertThat(visits(after(rows, joined("alice", 4)))).containsExactly("4.0-open");
  }

  @Test
  void aLeaveFromBeforeTheVisitEndsNothing() {
    assertThat(visits(after(List.of(open("alice", 10)), left("alice", 9))))
        .containsExactly("10.0-open");
  }

  @Test
  void aSnapshotSoonAfterTheLeaveMayBeOlderAndIsConfirmed() {
    List<ParticipantSession> rows = after(List.of(open("alice", 1)), left("alice", 20));
    MergeDecision soon = merge(rows, List.of(), Optional.of(snapshot(22, person("alice", 22))));
    assertThat(visits(written(rows, soon))).containsExactly("1.0-20.0");
    assertThat(soon.confirmAt()).hasValueSatisfying(when -> assertThat(when).isAfter(at(35)));
    assertThat(visits(after(rows, snapshot(40, person("alice", 40)))))
        .containsExactly("1.0-20.0", "40.0-open");
  }
}

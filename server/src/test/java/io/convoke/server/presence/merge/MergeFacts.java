package io.convoke.server.presence.merge;

import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builders for the tests of the merge: joins, leaves and snapshots with their times. */
final class MergeFacts {
  private MergeFacts() {}

  static final Instant T = Instant.parse("2026-03-02T09:00:00Z");

  static Instant at(double seconds) {
    return T.plusMillis(Math.round(seconds * 1000));
  }

  /** A session from a snapshot. */
  static ParticipantSession found(String id, double joined) {
    return ParticipantSession.joined(
        id, Optional.empty(), Optional.of(id), at(joined), ChangeSource.POLL, false);
  }

  static ParticipantSession open(String id, double joined) {
    return ParticipantSession.joined(
        id, Optional.empty(), Optional.of(id), at(joined), ChangeSource.WEBHOOK, false);
  }

  static PresenceEvent joined(String id, double joined) {
    return new PresenceEvent(
        "j-" + id + joined,
        PresenceEvent.PresenceEventKind.JOINED,
        "room",
        id,
        Optional.empty(),
        Optional.of(id),
        Optional.of(at(joined)),
        at(joined),
        false,
        false);
  }

  static PresenceEvent left(String id, double joined, double left) {
    return new PresenceEvent(
        "l-" + id + left,
        PresenceEvent.PresenceEventKind.LEFT,
        "room",
        id,
        Optional.empty(),
        Optional.of(id),
        Optional.of(at(joined)),
        at(left),
        false,
        false);
  }

  /** The same, reported by a bot in the room. */
  static PresenceEvent byBot(PresenceEvent event) {
    return new PresenceEvent(
        event.eventId(),
        event.kind(),
        event.room(),
        event.sessionId(),
        event.userId(),
        event.userName(),
        event.joinedAt(),
        event.at(),
        event.hidden(),
        true);
  }

  static PresenceEvent ended(double at) {
    return PresenceEvent.ofMeeting(
        "e-" + at, PresenceEvent.PresenceEventKind.ENDED, "room", at(at), false);
  }

  static Participant person(String id, double joined) {
    return new Participant(id, Optional.empty(), Optional.of(id), at(joined));
  }

  static RoomPresence snapshot(double fetchedAt, Participant... people) {
    return new RoomPresence.RoomPresenceComplete(List.of(people), at(fetchedAt));
  }

  static MergeDecision merge(
      List<ParticipantSession> known,
      List<PresenceEvent> evidence,
      Optional<RoomPresence> snapshot) {
    return PresenceMerge.decide(
        known, Optional.of(at(-30)), evidence, snapshot, ChangeSource.POLL, ConnectionIds.UNIQUE);
  }

  static MergeDecision merge(List<ParticipantSession> known, RoomPresence snapshot) {
    return merge(known, List.of(), Optional.of(snapshot));
  }

  static MergeDecision merge(List<ParticipantSession> known, PresenceEvent... evidence) {
    return merge(known, List.of(evidence), Optional.empty());
  }

  /** The rows after a decision was written. */
  static List<ParticipantSession> written(
      List<ParticipantSession> known, MergeDecision mergeDecision) {
    List<ParticipantSession> rows = new ArrayList<>(known);
    mergeDecision
        .moved()
        .forEach(
            move ->
                rows.removeIf(
                    it ->
                        it.sessionId().equals(move.session().sessionId())
                            && it.joinedAt().equals(move.from())));
    List<ParticipantSession> changed = new ArrayList<>(mergeDecision.upserts());
    changed.addAll(mergeDecision.closes());
    for (ParticipantSession row : changed) {
      rows.removeIf(
          it -> it.sessionId().equals(row.sessionId()) && it.joinedAt().equals(row.joinedAt()));
      rows.add(row);
    }
    return rows;
  }
}

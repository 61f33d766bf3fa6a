package io.convoke.server.presence.merge;

import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The facts that the tests of the merge are told in: who came, who left, what was seen, when. */
final class MergeFacts {
  private MergeFacts() {}

  static final Instant T = Instant.parse("2026-03-02T09:00:00Z");

  static Instant at(double seconds) {
    return T.plusMillis(Math.round(seconds * 1000));
  }

  /** A stay that a snapshot found. */
  static Session found(String id, double joined) {
    return Session.joined(id, Optional.empty(), Optional.of(id), at(joined), Source.POLL, false);
  }

  static Session open(String id, double joined) {
    return Session.joined(id, Optional.empty(), Optional.of(id), at(joined), Source.WEBHOOK, false);
  }

  static PresenceEvent joined(String id, double joined) {
    return new PresenceEvent(
        "j-" + id + joined,
        PresenceEvent.Kind.JOINED,
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
        PresenceEvent.Kind.LEFT,
        "room",
        id,
        Optional.empty(),
        Optional.of(id),
        Optional.of(at(joined)),
        at(left),
        false,
        false);
  }

  /** The same, told by a bot that is in the room. */
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
    return PresenceEvent.ofMeeting("e-" + at, PresenceEvent.Kind.ENDED, "room", at(at), false);
  }

  static Participant person(String id, double joined) {
    return new Participant(id, Optional.empty(), Optional.of(id), at(joined));
  }

  static RoomPresence snapshot(double fetchedAt, Participant... people) {
    return new RoomPresence.Complete(List.of(people), at(fetchedAt));
  }

  static Decision merge(
      List<Session> known, List<PresenceEvent> evidence, Optional<RoomPresence> snapshot) {
    return Merge.decide(known, Optional.of(at(-30)), evidence, snapshot, Source.POLL);
  }

  static Decision merge(List<Session> known, RoomPresence snapshot) {
    return merge(known, List.of(), Optional.of(snapshot));
  }

  static Decision merge(List<Session> known, PresenceEvent... evidence) {
    return merge(known, List.of(evidence), Optional.empty());
  }

  /** The rows after a decision was written. */
  static List<Session> written(List<Session> known, Decision decision) {
    List<Session> rows = new ArrayList<>(known);
    decision
        .moved()
        .forEach(
            move ->
                rows.removeIf(
                    it ->
                        it.sessionId().equals(move.stay().sessionId())
                            && it.joinedAt().equals(move.from())));
    List<Session> changed = new ArrayList<>(decision.upserts());
    changed.addAll(decision.closes());
    for (Session row : changed) {
      rows.removeIf(
          it -> it.sessionId().equals(row.sessionId()) && it.joinedAt().equals(row.joinedAt()));
      rows.add(row);
    }
    return rows;
  }
}

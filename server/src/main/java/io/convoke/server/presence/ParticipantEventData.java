package io.convoke.server.presence;

import io.convoke.engine.journal.NewEvent;
import io.convoke.server.presence.merge.Decision;
import io.convoke.server.presence.merge.Decision.Change;
import io.convoke.server.presence.merge.Session;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The data of {@code participant.joined} and {@code participant.left} in the journal.
 *
 * @param userId owns the meeting
 * @param numClients open sessions after the commit that wrote the event
 */
record ParticipantEventData(
    long meetingId,
    long userId,
    String sessionId,
    Optional<String> participantId,
    Optional<String> userName,
    Instant at,
    Instant joinedAt,
    Optional<Instant> leftAt,
    String source,
    int numClients) {

  /** The journal entries of a decision, as a list that may be added to. */
  static List<NewEvent> entries(Meeting meeting, Decision decision) {
    List<NewEvent> entries = new ArrayList<>();
    decision.changes().forEach(change -> entries.add(entry(meeting, change, decision.present())));
    return entries;
  }

  private static NewEvent entry(Meeting meeting, Change change, int present) {
    Session session = change.session();
    return NewEvent.of(
        change instanceof Change.Joined ? "participant.joined" : "participant.left",
        "meeting:" + meeting.id(),
        Optional.of(meeting.userId()),
        new ParticipantEventData(
            meeting.id(),
            meeting.userId(),
            session.sessionId(),
            session.userId(),
            session.userName(),
            change.at(),
            session.joinedAt(),
            session.leftAt(),
            change.source().text(),
            present));
  }
}

package io.convoke.server.presence;

import io.convoke.engine.journal.NewEvent;
import io.convoke.server.presence.merge.Decision.Change;
import io.convoke.server.presence.merge.Session;
import java.time.Instant;
import java.util.Optional;

/**
 * The data of {@code participant.joined} and {@code participant.left} in the journal.
 *
 * @param userId owns the meeting
 * @param numClients open sessions after the commit that wrote the event
 */
record Noted(
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

  static NewEvent event(Meeting meeting, Change change, int present) {
    Session session = change.session();
    return NewEvent.of(
        change instanceof Change.Joined ? "participant.joined" : "participant.left",
        "meeting:" + meeting.id(),
        Optional.of(meeting.userId()),
        new Noted(
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

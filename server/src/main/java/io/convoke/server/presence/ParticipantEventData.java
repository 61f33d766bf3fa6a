package io.convoke.server.presence;

import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.server.presence.merge.MergeDecision;
import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import io.convoke.server.presence.merge.ParticipantSession;
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

  /** The journal entries of a decision, as a mutable list. */
  static List<NewJournalEvent> entries(
      PresenceMeeting presenceMeeting, MergeDecision mergeDecision) {
    List<NewJournalEvent> entries = new ArrayList<>();
    mergeDecision
        .changes()
        .forEach(
            presenceChange ->
                entries.add(entry(presenceMeeting, presenceChange, mergeDecision.present())));
    return entries;
  }

  private static NewJournalEvent entry(
      PresenceMeeting presenceMeeting, PresenceChange presenceChange, int present) {
    ParticipantSession participantSession = presenceChange.session();
    return NewJournalEvent.of(
        presenceChange instanceof PresenceChange.Joined ? "participant.joined" : "participant.left",
        "meeting:" + presenceMeeting.id(),
        Optional.of(presenceMeeting.userId()),
        new ParticipantEventData(
            presenceMeeting.id(),
            presenceMeeting.userId(),
            participantSession.sessionId(),
            participantSession.userId(),
            participantSession.userName(),
            presenceChange.at(),
            participantSession.joinedAt(),
            participantSession.leftAt(),
            presenceChange.source().text(),
            present));
  }
}

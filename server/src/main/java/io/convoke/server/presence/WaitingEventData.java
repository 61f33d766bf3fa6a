package io.convoke.server.presence;

import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.server.platform.PresenceEvent;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The data of {@code participant.waiting} and {@code participant.waiting_left} in the journal.
 *
 * @param userId owns the meeting
 * @param sessionId of the wait; the platform decides whether the session in the meeting has it too
 */
record WaitingEventData(
    long meetingId,
    long userId,
    String sessionId,
    Optional<String> participantId,
    Optional<String> userName,
    Instant at) {

  /** The journal entries of those events that are about the waiting room. */
  static List<NewJournalEvent> entries(
      PresenceMeeting presenceMeeting, List<PresenceEvent> events) {
    return events.stream()
        .flatMap(event -> event.waiting().stream().map(it -> entry(presenceMeeting, event, it)))
        .toList();
  }

  private static NewJournalEvent entry(
      PresenceMeeting presenceMeeting,
      PresenceEvent event,
      PresenceEvent.WaitingChange waitingChange) {
    return NewJournalEvent.of(
        switch (waitingChange) {
          case WAITING -> "participant.waiting";
          case WAITING_LEFT -> "participant.waiting_left";
        },
        "meeting:" + presenceMeeting.id(),
        Optional.of(presenceMeeting.userId()),
        new WaitingEventData(
            presenceMeeting.id(),
            presenceMeeting.userId(),
            event.sessionId(),
            event.userId(),
            event.userName(),
            event.at()));
  }
}

package io.convoke.chaos.history;

import java.util.Optional;

/**
 * A journal event, from the stream or from the database.
 *
 * @param sessionId of participant events
 * @param numClients participant count of a participant event
 * @param from the status before, of status events; empty for a new meeting
 * @param to the status after, of status events
 */
public record ObservedEvent(
    long seq,
    String type,
    long meetingId,
    Optional<String> sessionId,
    Optional<Integer> numClients,
    Optional<String> from,
    Optional<String> to) {

  static final String JOINED = "participant.joined";
  static final String LEFT = "participant.left";
  static final String STATUS = "meeting.status_changed";
}

package io.convoke.chaos.history;

import java.util.Optional;

/**
 * One event of the journal, as the stream brought it or as it stands in the database.
 *
 * @param sessionId of participant events
 * @param numClients the count that a participant event carries
 * @param from the state before, of status events; empty when the meeting began
 * @param to the state after, of status events
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

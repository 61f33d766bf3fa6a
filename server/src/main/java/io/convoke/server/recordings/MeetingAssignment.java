package io.convoke.server.recordings;

import java.util.List;
import java.util.Optional;

/**
 * Whose a recording is: a meeting and its owner, or the meetings that it may belong to.
 *
 * @param candidates at most {@value #CANDIDATES_MAX} meetings, when it is not known
 */
record MeetingAssignment(Optional<OwnedMeeting> owned, List<Long> candidates) {
  static final int CANDIDATES_MAX = 50;

  /** A meeting and the user whose it is. */
  record OwnedMeeting(long meetingId, long userId) {}

  static MeetingAssignment in(long meetingId, long userId) {
    return new MeetingAssignment(Optional.of(new OwnedMeeting(meetingId, userId)), List.of());
  }

  static MeetingAssignment unknown(List<Long> candidates) {
    return new MeetingAssignment(Optional.empty(), candidates);
  }
}

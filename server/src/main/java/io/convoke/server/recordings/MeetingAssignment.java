package io.convoke.server.recordings;

import java.util.List;
import java.util.Optional;

/**
 * The meeting of a recording and its owner, or the candidates.
 *
 * @param candidates at most {@value #CANDIDATES_MAX} meetings, when it is not known
 */
record MeetingAssignment(Optional<OwnedMeeting> owned, List<Long> candidates) {
  static final int CANDIDATES_MAX = 50;

  /** A meeting and its owner. */
  record OwnedMeeting(long meetingId, long userId) {}

  static MeetingAssignment in(long meetingId, long userId) {
    return new MeetingAssignment(Optional.of(new OwnedMeeting(meetingId, userId)), List.of());
  }

  static MeetingAssignment unknown(List<Long> candidates) {
    return new MeetingAssignment(Optional.empty(), candidates);
  }
}

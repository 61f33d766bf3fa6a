package io.convoke.server.platform;

import java.time.Instant;
import java.util.List;

/** Who attended a meeting session that is over, by the platform's meeting history. */
public sealed interface MeetingAttendance {

  /** A participant, and the end of the connection; both times may be coarse. */
  record Attendee(Participant participant, Instant leftAt) {}

  /** The participants that the platform recorded; short visits may be missing. */
  record AttendanceKnown(List<Attendee> attendees) implements MeetingAttendance {
    public AttendanceKnown {
      attendees = List.copyOf(attendees);
    }
  }

  /** The query failed. */
  record AttendanceUnknown(PlatformError outage) implements MeetingAttendance {}
}

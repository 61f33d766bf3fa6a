package io.convoke.server.meetingsync;

import io.convoke.engine.sql.Tx;

/** Tells which meetings are synced with their recordings. */
@FunctionalInterface
public interface RecordedMeetings {
  /**
   * Whether a recording of the meeting is synced or will be, as far as known. No recording of it
   * comes to nothing between this answer and the end of the transaction.
   */
  boolean syncs(Tx tx, long meetingId);
}

package io.convoke.server.meetings;

/**
 * Told after the commit when a room gets or loses a live meeting row, so that presence looks there
 * at once. A hint: who misses it finds the row by its next sweep.
 */
public interface MeetingWatch {
  /** Tells nobody. */
  MeetingWatch NONE =
      new MeetingWatch() {
        @Override
        public void opened(Meeting meeting) {}

        @Override
        public void ended(Meeting meeting) {}
      };

  /** The meeting has become active. */
  void opened(Meeting meeting);

  /** The meeting has reached a terminal status. */
  void ended(Meeting meeting);
}

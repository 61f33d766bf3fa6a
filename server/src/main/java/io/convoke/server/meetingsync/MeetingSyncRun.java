package io.convoke.server.meetingsync;

/**
 * One run of a meeting's sync.
 *
 * @param run counts the retries, from 1
 * @param waitSeconds before it looks for recordings
 */
record MeetingSyncRun(long meetingId, int run, long waitSeconds) {
  /** The workflow's name; {@code meeting-sync-42} is the first run for meeting 42. */
  static final String WORKFLOW = "meeting-sync";

  String instance() {
    return WORKFLOW + "-" + meetingId + (run == 1 ? "" : "-" + run);
  }
}

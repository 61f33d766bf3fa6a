package io.convoke.server.recordings;

import io.convoke.server.recordings.RecordingWorkflow.RecordingRunRef;

/**
 * The right to do a step of a recording, as long as the row's epoch is this one.
 *
 * @param row as it was when the step was claimed
 */
record StepClaim(RecordingRunRef order, StepName step, long epoch, RecordingRow row) {
  String recordingId() {
    return order.recordingId();
  }

  /** The meeting; a recording that is worked on has one. */
  long meetingId() {
    return row.meetingId().orElseThrow();
  }
}

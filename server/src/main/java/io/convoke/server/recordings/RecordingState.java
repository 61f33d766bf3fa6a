package io.convoke.server.recordings;

/**
 * The reducer's state.
 *
 * @param placed whether the meeting is known
 * @param begun whether there was a run
 */
record RecordingState(RecordingStatus status, boolean placed, boolean begun) {
  RecordingState to(RecordingStatus other) {
    return new RecordingState(other, placed, begun);
  }

  /** Another run begins. */
  RecordingState ready() {
    return new RecordingState(RecordingStatus.READY, true, true);
  }

  /** Whether the platform reported an error, and no user has retried it since. */
  boolean broken() {
    return status == RecordingStatus.FAILED && !begun;
  }
}

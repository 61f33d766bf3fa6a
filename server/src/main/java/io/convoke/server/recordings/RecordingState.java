package io.convoke.server.recordings;

/** The reducer's state. {@code placed}: the meeting is known. */
record RecordingState(RecordingStatus status, boolean placed) {
  RecordingState to(RecordingStatus other) {
    return new RecordingState(other, placed);
  }
}

package io.convoke.server.recordings;

/** What the reducer needs to know. {@code placed}: a meeting is known. */
record RecordingState(RecordingStatus status, boolean placed) {
  RecordingState to(RecordingStatus other) {
    return new RecordingState(other, placed);
  }
}

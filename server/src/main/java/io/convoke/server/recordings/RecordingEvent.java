package io.convoke.server.recordings;

/** The events of a recording. */
sealed interface RecordingEvent {

  /** The name in the lifecycle's table and in the journal. */
  String label();

  /** The platform reports that it runs. */
  record RecordingStarted() implements RecordingEvent {
    @Override
    public String label() {
      return "started";
    }
  }

  /** The platform has the file; {@code placed} says whether the meeting is known. */
  record FileReady(boolean placed) implements RecordingEvent {
    @Override
    public String label() {
      return placed ? "ready" : "ready, whose is unknown";
    }
  }

  /** The platform has a file without length. */
  record FileEmpty() implements RecordingEvent {
    @Override
    public String label() {
      return "ready without length";
    }
  }

  /** The platform discarded it. */
  record RecordingCancelled() implements RecordingEvent {
    @Override
    public String label() {
      return "cancelled";
    }
  }

  /** The platform could not record, or has lost the recording. */
  record RecordingBroken(String message) implements RecordingEvent {
    @Override
    public String label() {
      return "platform error";
    }
  }

  /** No report arrived within the deadline. */
  record RecordingAbandoned(String why) implements RecordingEvent {
    @Override
    public String label() {
      return "given up";
    }
  }

  /** A user assigned the meeting. */
  record MeetingMatched() implements RecordingEvent {
    @Override
    public String label() {
      return "matched";
    }
  }

  /** The workflow processes it. */
  record WorkBegun() implements RecordingEvent {
    @Override
    public String label() {
      return "begun";
    }
  }

  /** Every step is done. */
  record WorkFinished() implements RecordingEvent {
    @Override
    public String label() {
      return "finished";
    }
  }

  /** A step failed for good. */
  record StepFailed(String why) implements RecordingEvent {
    @Override
    public String label() {
      return "step failed";
    }
  }

  /** A user requested a retry, from {@code step} if named. */
  record RetryRequested(boolean step) implements RecordingEvent {
    @Override
    public String label() {
      return "retried";
    }
  }
}

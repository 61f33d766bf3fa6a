package io.convoke.simulator.state;

import java.util.Optional;

/** What is needed to start a recording in a room. */
public record RecordingRequest(
    String room,
    String type,
    Optional<String> instanceId,
    Optional<String> startedBy,
    Recording.RecordingOutcome outcome) {

  public static RecordingRequest cloud(String room) {
    return new RecordingRequest(
        room, "cloud", Optional.empty(), Optional.empty(), Recording.RecordingOutcome.FINISHED);
  }

  public RecordingRequest ofType(String other) {
    return new RecordingRequest(room, other, instanceId, startedBy, outcome);
  }

  public RecordingRequest endingWith(Recording.RecordingOutcome other) {
    return new RecordingRequest(room, type, instanceId, startedBy, other);
  }
}

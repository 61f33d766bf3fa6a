package io.convoke.lab.sim.world;

import java.util.Optional;

/** What is needed to start a recording in a room. */
public record RecordingRequest(
    String room,
    String type,
    Optional<String> instanceId,
    Optional<String> startedBy,
    Recording.Outcome outcome) {

  public static RecordingRequest cloud(String room) {
    return new RecordingRequest(
        room, "cloud", Optional.empty(), Optional.empty(), Recording.Outcome.FINISHED);
  }

  public RecordingRequest ofType(String other) {
    return new RecordingRequest(room, other, instanceId, startedBy, outcome);
  }

  public RecordingRequest endingWith(Recording.Outcome other) {
    return new RecordingRequest(room, type, instanceId, startedBy, other);
  }
}

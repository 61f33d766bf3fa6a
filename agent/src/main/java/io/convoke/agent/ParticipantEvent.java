package io.convoke.agent;

import java.time.Instant;
import java.util.List;

/** A participant event as a bot sees it. */
public sealed interface ParticipantEvent {

  /** A participant joined. */
  record ParticipantJoined(Attendee participant) implements ParticipantEvent {}

  /** A participant left. */
  record ParticipantLeft(String sessionId, Instant at) implements ParticipantEvent {}

  /** The full list, the bot included: after admission, and whenever events may be missing. */
  record ParticipantSnapshot(List<Attendee> people, Instant at) implements ParticipantEvent {
    public ParticipantSnapshot {
      people = List.copyOf(people);
    }
  }
}

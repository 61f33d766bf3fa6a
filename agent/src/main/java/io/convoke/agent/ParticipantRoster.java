package io.convoke.agent;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns sightings into numbered reports, so that a repetition is recognised, and tracks the current
 * participants. No I/O.
 */
final class ParticipantRoster {
  private final String connectionId;
  private final Map<String, Attendee> present = new LinkedHashMap<>();
  private long numbered;

  ParticipantRoster(String connectionId) {
    this.connectionId = connectionId;
  }

  /** A report as JSON, with events and, if requested, the full list. */
  record ParticipantReport(
      List<Map<String, Object>> events, Optional<Map<String, Object>> fullList) {}

  /** The report of these sightings, in order; ends with the full list if the last one does. */
  ParticipantReport report(List<ParticipantEvent> sightings) {
    List<Map<String, Object>> events = new ArrayList<>();
    Optional<Map<String, Object>> fullList = Optional.empty();
    for (ParticipantEvent participantEvent : sightings) {
      switch (participantEvent) {
        case ParticipantEvent.ParticipantJoined(Attendee who) -> {
          present.put(who.sessionId(), who);
          events.add(event("joined", who, who.joinedAt()));
        }
        case ParticipantEvent.ParticipantLeft(String sessionId, Instant at) -> {
          Attendee who = present.remove(sessionId);
          events.add(who == null ? stranger(sessionId, at) : event("left", who, at));
        }
        case ParticipantEvent.ParticipantSnapshot(List<Attendee> people, Instant at) -> {
          present.clear();
          people.forEach(who -> present.put(who.sessionId(), who));
          fullList = Optional.of(fullList(at));
        }
      }
    }
    return new ParticipantReport(List.copyOf(events), fullList);
  }

  /** The current full list. */
  ParticipantReport again(Instant at) {
    return new ParticipantReport(List.of(), Optional.of(fullList(at)));
  }

  private Map<String, Object> fullList(Instant at) {
    return Map.of("at", at, "participants", present.values().stream().map(Attendee::json).toList());
  }

  private Map<String, Object> event(String type, Attendee who, Instant at) {
    Map<String, Object> event = new LinkedHashMap<>(who.json());
    event.putAll(numbered(type, at));
    return event;
  }

  private Map<String, Object> stranger(String sessionId, Instant at) {
    Map<String, Object> event = new LinkedHashMap<>(numbered("left", at));
    event.put("session_id", sessionId);
    return event;
  }

  private Map<String, Object> numbered(String type, Instant at) {
    numbered++;
    return Map.of("id", connectionId + ":" + numbered, "type", type, "at", at);
  }
}

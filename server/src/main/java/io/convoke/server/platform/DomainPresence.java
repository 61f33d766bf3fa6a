package io.convoke.server.platform;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The result of one presence query for all rooms of an account. */
public sealed interface DomainPresence {

  Instant fetchedAt();

  /** Rooms with at least one visible participant; a missing room has none. */
  record DomainPresenceKnown(Map<String, List<Participant>> rooms, Instant fetchedAt)
      implements DomainPresence {
    public DomainPresenceKnown {
      rooms = Map.copyOf(rooms);
    }

    /** The participants of one room; empty when the platform lists none. */
    public List<Participant> in(String room) {
      return rooms.getOrDefault(room, List.of());
    }
  }

  /** The query failed; nothing is known. */
  record DomainPresenceUnknown(PlatformError outage, Instant fetchedAt) implements DomainPresence {}
}

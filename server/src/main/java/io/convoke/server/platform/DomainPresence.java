package io.convoke.server.platform;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What one question about all rooms of an account proved. */
public sealed interface DomainPresence {

  Instant fetchedAt();

  /** Rooms with at least one visible participant; a room that is missing shows nobody. */
  record DomainPresenceKnown(Map<String, List<Participant>> rooms, Instant fetchedAt)
      implements DomainPresence {
    public DomainPresenceKnown {
      rooms = Map.copyOf(rooms);
    }

    /** The people of one room; empty when the platform shows nobody there. */
    public List<Participant> in(String room) {
      return rooms.getOrDefault(room, List.of());
    }
  }

  /** Nothing at all. */
  record DomainPresenceUnknown(PlatformError outage, Instant fetchedAt) implements DomainPresence {}
}

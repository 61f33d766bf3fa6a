package io.convoke.agent;

import java.time.Instant;
import java.util.List;

/** What a bot sees of the people in its room. */
public sealed interface Sighting {

  /** Somebody came. */
  record Came(Attendee who) implements Sighting {}

  /** Somebody went. */
  record Went(String sessionId, Instant at) implements Sighting {}

  /**
   * Everybody who is there, the bot included: when it is let in, and whenever it cannot be sure.
   */
  record Everybody(List<Attendee> people, Instant at) implements Sighting {
    public Everybody {
      people = List.copyOf(people);
    }
  }
}

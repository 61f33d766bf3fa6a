package io.convoke.agent;

import java.time.Instant;
import java.util.List;

/** A participant event as a bot sees it. */
public sealed interface Sighting {

  /** A participant joined. */
  record Came(Attendee who) implements Sighting {}

  /** A participant left. */
  record Went(String sessionId, Instant at) implements Sighting {}

  /** The full list, the bot included: after admission, and whenever events may be missing. */
  record Everybody(List<Attendee> people, Instant at) implements Sighting {
    public Everybody {
      people = List.copyOf(people);
    }
  }
}

package io.convoke.server.platform;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a bot saw in the room that it is in: who came and went, and now and then everybody who is
 * there.
 *
 * @param sightings in the order in which they happened
 * @param everybody the whole room as the bot saw it after them, itself included
 */
public record RoomReport(List<Sighting> sightings, Optional<RoomPresence.Complete> everybody) {
  public RoomReport {
    sightings = List.copyOf(sightings);
  }

  /** Somebody came or went. */
  public sealed interface Sighting {

    /** Stable over repetitions of the report. */
    String id();

    record Came(String id, Participant who) implements Sighting {}

    /** {@code joinedAt} is empty when the bot came after them. */
    record Went(
        String id,
        String sessionId,
        Optional<String> userId,
        Optional<String> userName,
        Optional<Instant> joinedAt,
        Instant at)
        implements Sighting {}
  }
}

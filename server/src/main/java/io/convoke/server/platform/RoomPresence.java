package io.convoke.server.platform;

import java.time.Instant;
import java.util.List;

/**
 * What one question about a room proved. {@code fetchedAt} is the moment before the question was
 * sent, so the answer shows the room as it was at {@code fetchedAt} minus the platform's lag, or
 * later.
 */
public sealed interface RoomPresence {

  /** Those that the platform shows. */
  List<Participant> participants();

  Instant fetchedAt();

  /** Everybody the platform shows: a session that is missing here is an absence. */
  record RoomPresenceComplete(List<Participant> participants, Instant fetchedAt)
      implements RoomPresence {
    public RoomPresenceComplete {
      participants = List.copyOf(participants);
    }
  }

  /** Some of them; {@code total} says how many there are. Those shown are there, others unknown. */
  record RoomPresencePartial(List<Participant> participants, int total, Instant fetchedAt)
      implements RoomPresence {
    public RoomPresencePartial {
      participants = List.copyOf(participants);
    }
  }

  /** Nothing at all: neither presence nor absence. */
  record RoomPresenceUnknown(PlatformError outage, Instant fetchedAt) implements RoomPresence {
    @Override
    public List<Participant> participants() {
      return List.of();
    }
  }
}

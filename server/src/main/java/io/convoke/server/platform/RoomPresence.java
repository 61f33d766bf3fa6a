package io.convoke.server.platform;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The result of one presence query for a room. {@code fetchedAt} is the time just before the
 * request, so the response shows the room at {@code fetchedAt} minus the platform's lag, or later.
 */
public sealed interface RoomPresence {

  /** The participants that the platform lists. */
  List<Participant> participants();

  Instant fetchedAt();

  /** The platform's id of the meeting: the newest, because a list may show the end of one too. */
  default Optional<String> platformSession() {
    return participants().stream()
        .filter(person -> person.platformSession().isPresent())
        .max(Comparator.comparing(Participant::joinedAt))
        .flatMap(Participant::platformSession);
  }

  /** The complete list: a session that is missing here is absent. */
  record RoomPresenceComplete(List<Participant> participants, Instant fetchedAt)
      implements RoomPresence {
    public RoomPresenceComplete {
      participants = List.copyOf(participants);
    }
  }

  /** An incomplete list of {@code total} participants: those listed are present, others unknown. */
  record RoomPresencePartial(List<Participant> participants, int total, Instant fetchedAt)
      implements RoomPresence {
    public RoomPresencePartial {
      participants = List.copyOf(participants);
    }
  }

  /**
   * The platform does not have the room: after a restart that forgot it, but also behind a wrong
   * address. Its sessions are absent, and close after a longer time than those that a list lacks.
   */
  record RoomMissing(Instant fetchedAt) implements RoomPresence {
    @Override
    public List<Participant> participants() {
      return List.of();
    }
  }

  /** The query failed: it proves neither presence nor absence. */
  record RoomPresenceUnknown(PlatformError outage, Instant fetchedAt) implements RoomPresence {
    @Override
    public List<Participant> participants() {
      return List.of();
    }
  }
}

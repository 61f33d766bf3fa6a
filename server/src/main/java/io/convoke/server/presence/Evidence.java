package io.convoke.server.presence;

import java.time.Instant;
import java.util.Optional;

/**
 * What one signed event says about a room. It waits in Redis (or, with Redis away, in the inbox
 * table) until the poll worker commits it; applied twice it changes nothing.
 *
 * @param eventId the platform's id of the event, stable over its repetitions
 * @param sessionId empty for {@link Kind#ENDED}
 * @param joinedAt of the stay; missing only in damaged {@link Kind#LEFT} events
 * @param at when it happened: the join, the leave or the end
 */
record Evidence(
    String eventId,
    Kind kind,
    String room,
    String sessionId,
    Optional<String> userId,
    Optional<String> userName,
    Optional<Instant> joinedAt,
    Instant at,
    boolean hidden) {

  /** What happened; also the order in which events of one instant are applied. */
  enum Kind {
    /** A meeting began: a reason to look, nothing more. */
    STARTED,
    JOINED,
    LEFT,
    /** The meeting in the room is over, the reconnect allowance included. */
    ENDED
  }
}

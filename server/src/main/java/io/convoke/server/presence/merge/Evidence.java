package io.convoke.server.presence.merge;

import java.time.Instant;
import java.util.Optional;

/**
 * What one witness says about a room: a signed event of the platform, or a bot that is there. It
 * waits in Redis (or, with Redis away, in the inbox table) until the poll worker commits it;
 * applied twice it changes nothing.
 *
 * @param eventId the platform's id of the event, stable over its repetitions
 * @param sessionId empty for {@link Kind#ENDED}
 * @param joinedAt of the stay; missing only in damaged {@link Kind#LEFT} events
 * @param at when it happened: the join, the leave or the end
 * @param source who says so
 */
public record Evidence(
    String eventId,
    Kind kind,
    String room,
    String sessionId,
    Optional<String> userId,
    Optional<String> userName,
    Optional<Instant> joinedAt,
    Instant at,
    boolean hidden,
    Source source) {

  /** What a signed event of the platform says. */
  public Evidence(
      String eventId,
      Kind kind,
      String room,
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Optional<Instant> joinedAt,
      Instant at,
      boolean hidden) {
    this(eventId, kind, room, sessionId, userId, userName, joinedAt, at, hidden, Source.WEBHOOK);
  }

  /** What happened; also the order in which events of one instant are applied. */
  public enum Kind {
    /** A meeting began: a reason to look, nothing more. */
    STARTED,
    JOINED,
    LEFT,
    /** The meeting in the room is over, the reconnect allowance included. */
    ENDED
  }
}

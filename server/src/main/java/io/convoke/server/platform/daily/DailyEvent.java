package io.convoke.server.platform.daily;

import java.time.Instant;
import java.util.Optional;

/** One authentic webhook, understood as far as it can be. */
public sealed interface DailyEvent {

  /** Somebody's connection entered a room. {@code hidden}: presence never lists it. */
  record ParticipantJoined(
      String id,
      String room,
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Instant joinedAt,
      boolean hidden)
      implements DailyEvent {}

  /** A connection left. The time it joined is there in all but damaged events. */
  record ParticipantLeft(
      String id,
      String room,
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Optional<Instant> joinedAt,
      Instant leftAt,
      boolean hidden)
      implements DailyEvent {}

  /** A meeting began in a room. */
  record MeetingStarted(String id, String room, Instant at) implements DailyEvent {}

  /** The last person left, and the allowance for a reconnect (20 s) is over. */
  record MeetingEnded(String id, String room, Instant at) implements DailyEvent {}

  /** News of a recording; who keeps recordings reads the body. */
  record Recording(String id) implements DailyEvent {}

  /** What Daily sends when a webhook is registered. */
  record Ping() implements DailyEvent {}

  /** A type that Daily documents and presence does not need. */
  record Unneeded(String id, String type) implements DailyEvent {}

  /** Authentic and not understood: kept as a dead letter, answered 200. */
  record Unreadable(String reason) implements DailyEvent {}
}

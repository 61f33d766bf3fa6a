package io.convoke.simulator.control;

import io.convoke.simulator.http.SimJson;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * What a server has stored on the simulator's rooms, as it sends it to be compared.
 *
 * @param at a time before the server read the rows; the simulator's state of this time is compared
 * @param since start of the compared period
 * @param started when the server started; it is not blamed for what happened before
 * @param bounds how long a difference may last
 * @param rooms rooms with a live meeting of the server
 * @param sessions their sessions that are open or ended in the compared period
 * @param recordings ids of recordings stored or changed in the compared period
 */
record ServerRows(
    Instant at,
    Instant since,
    Instant started,
    StalenessBounds bounds,
    List<FollowedRoom> rooms,
    List<StoredSession> sessions,
    Set<String> recordings) {

  /**
   * Maximum staleness.
   *
   * @param presence of presence, when every webhook is lost
   * @param recordings of the list of recordings
   */
  record StalenessBounds(Duration presence, Duration recordings) {}

  /**
   * A room with a live meeting.
   *
   * @param people the meeting's participant count
   * @param open number of its open sessions at the same time
   */
  record FollowedRoom(long meetingId, String room, int people, int open, Instant since) {}

  /** One session in a followed room. */
  record StoredSession(
      long meetingId, String sessionId, Instant joinedAt, Optional<Instant> leftAt) {}

  /**
   * Parses the body of {@code POST /control/invariants}.
   *
   * @throws IllegalArgumentException if a field is missing or has a wrong type
   */
  static ServerRows read(JsonNode body) {
    return new ServerRows(
        time(body, "at"),
        time(body, "since"),
        time(body, "started"),
        new StalenessBounds(
            Duration.ofMillis(number(body, "presence_bound_ms")),
            Duration.ofMillis(number(body, "recordings_bound_ms"))),
        each(body, "rooms", ServerRows::room),
        each(body, "sessions", ServerRows::session),
        each(body, "recordings", JsonNode::asString).stream().collect(Collectors.toSet()));
  }

  private static FollowedRoom room(JsonNode room) {
    return new FollowedRoom(
        number(room, "meeting_id"),
        text(room, "room"),
        Math.toIntExact(number(room, "people")),
        Math.toIntExact(number(room, "open")),
        time(room, "since"));
  }

  private static StoredSession session(JsonNode session) {
    return new StoredSession(
        number(session, "meeting_id"),
        text(session, "session_id"),
        time(session, "joined_at"),
        SimJson.string(session, "left_at").map(left -> instant("left_at", left)));
  }

  private static <T> List<T> each(JsonNode of, String field, Function<JsonNode, T> read) {
    if (!of.path(field).isArray()) {
      throw new IllegalArgumentException(field + " must be an array");
    }
    return of.path(field).valueStream().map(read).toList();
  }

  private static long number(JsonNode of, String field) {
    if (!of.path(field).isIntegralNumber()) {
      throw new IllegalArgumentException(field + " must be an integer");
    }
    return of.path(field).longValue();
  }

  private static String text(JsonNode of, String field) {
    return SimJson.string(of, field)
        .orElseThrow(() -> new IllegalArgumentException(field + " must be a string"));
  }

  private static Instant time(JsonNode of, String field) {
    return instant(field, text(of, field));
  }

  private static Instant instant(String field, String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException invalid) {
      throw new IllegalArgumentException(
          field + " must be an instant such as 2026-03-02T09:00:00Z", invalid);
    }
  }
}

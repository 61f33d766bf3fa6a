package io.convoke.server.platform.daily;

import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.MeetingAttendance;
import io.convoke.server.platform.MeetingAttendance.Attendee;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.platform.RoomAddress;
import io.convoke.server.platform.RoomPresence;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Daily.co as a {@link PlatformClient}. A list shorter than its own {@code total_count} is asked
 * for again as a whole, and is partial if that fails; a 404 is unknown and not an empty room, a 429
 * freezes the rate limiter of all nodes.
 */
public final class DailyClient implements PlatformClient {

  /** Most participants of one room that are read. */
  private static final int PARTICIPANTS_MAX = 10_000;

  /**
   * The names that Daily allows (docs.daily.co, "create room"). Another one names no room and is
   * not sent, because a path with {@code ..} or a slash in it could reach another room.
   */
  private static final Pattern ROOM = Pattern.compile("[A-Za-z0-9_-]{1,128}");

  /**
   * After a call that was not answered, how long no room's address is asked for: each call would
   * hold up the launch of a bot that needs none.
   */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private final DailyHttpClient http;
  private final InstantSource time;

  /** Whether there is an account whose rooms may be asked for. */
  private final boolean keyed;

  /** By the monotonic clock. */
  private volatile long silentUntil = System.nanoTime();

  public DailyClient(DailyConfig terms, RateLimiter rateLimiter, InstantSource time) {
    this.http = new DailyHttpClient(terms, rateLimiter);
    this.time = time;
    this.keyed = !terms.apiKey().isEmpty();
  }

  @Override
  public String name() {
    return "daily";
  }

  @Override
  public RoomPresence presence(String room) {
    Instant fetchedAt = time.instant();
    if (!ROOM.matcher(room).matches()) {
      return new RoomPresence.RoomPresenceUnknown(
          PlatformError.of(PlatformError.PlatformErrorKind.NOT_FOUND), fetchedAt);
    }
    String path = "/rooms/" + room + "/presence";
    return switch (rows(path)) {
      case RoomRows.NoRows(PlatformError platformError) ->
          new RoomPresence.RoomPresenceUnknown(platformError, fetchedAt);
      case RoomRows.SomeRows rows when rows.all() ->
          new RoomPresence.RoomPresenceComplete(rows.participants(), fetchedAt);
      case RoomRows.SomeRows rows -> all(room, path, rows, fetchedAt);
    };
  }

  /** Some participants of a room, or none because the call failed. */
  private sealed interface RoomRows {
    record NoRows(PlatformError outage) implements RoomRows {}

    /**
     * The participants of one response.
     *
     * @param total in the room
     * @param unreadable whether the response had others that could not be parsed
     */
    record SomeRows(List<Participant> participants, int total, boolean unreadable)
        implements RoomRows {
      boolean all() {
        return !unreadable && participants.size() >= total;
      }
    }
  }

  private RoomRows rows(String path) {
    return switch (http.get(path)) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new RoomRows.NoRows(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
        if (!body.path("data").isArray()) {
          yield new RoomRows.NoRows(PlatformError.of(PlatformError.PlatformErrorKind.MALFORMED));
        }
        Map<String, Participant> found = new LinkedHashMap<>();
        int unreadable = collect(body.path("data"), found);
        yield new RoomRows.SomeRows(
            List.copyOf(found.values()),
            body.path("total_count").asInt(found.size() + unreadable),
            unreadable > 0);
      }
    };
  }

  /**
   * The participants of a room that one response did not hold: asks for as many as there are, then
   * for those of all rooms, because presence of a room has no pages.
   */
  private RoomPresence all(String room, String path, RoomRows.SomeRows first, Instant fetchedAt) {
    RoomPresence partial =
        new RoomPresence.RoomPresencePartial(first.participants(), first.total(), fetchedAt);
    if (first.unreadable() || first.total() > PARTICIPANTS_MAX) {
      return partial;
    }
    if (rows(path + "?limit=" + first.total()) instanceof RoomRows.SomeRows rows && rows.all()) {
      return new RoomPresence.RoomPresenceComplete(rows.participants(), fetchedAt);
    }
    return presence() instanceof DomainPresence.DomainPresenceKnown domain
            && domain.in(room).size() >= first.total()
        ? new RoomPresence.RoomPresenceComplete(domain.in(room), fetchedAt)
        : partial;
  }

  @Override
  public DomainPresence presence() {
    Instant fetchedAt = time.instant();
    return switch (http.getAhead("/presence")) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new DomainPresence.DomainPresenceUnknown(platformError, fetchedAt);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
        if (!body.isObject()) {
          yield new DomainPresence.DomainPresenceUnknown(
              PlatformError.of(PlatformError.PlatformErrorKind.MALFORMED), fetchedAt);
        }
        Map<String, List<Participant>> rooms = new HashMap<>();
        for (Map.Entry<String, JsonNode> room : body.properties()) {
          Map<String, Participant> found = new LinkedHashMap<>();
          collect(room.getValue(), found);
          rooms.put(room.getKey(), List.copyOf(found.values()));
        }
        yield new DomainPresence.DomainPresenceKnown(rooms, fetchedAt);
      }
    };
  }

  @Override
  public RoomActivity activity(String room) {
    if (!ROOM.matcher(room).matches()) {
      return new RoomActivity.RoomActivityUnknown(
          PlatformError.of(PlatformError.PlatformErrorKind.NOT_FOUND));
    }
    return switch (http.get("/meetings?limit=1&room=" + room)) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new RoomActivity.RoomActivityUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
        JsonNode meeting = body.path("data").path(0);
        if (!body.path("data").isArray()) {
          yield new RoomActivity.RoomActivityUnknown(
              PlatformError.of(PlatformError.PlatformErrorKind.MALFORMED));
        }
        if (meeting.isMissingNode()) {
          yield new RoomActivity.RoomNeverUsed();
        }
        yield DailyValueParser.time(meeting, "start_time")
            .map(start -> activity(meeting, start))
            .orElseGet(
                () ->
                    new RoomActivity.RoomActivityUnknown(
                        PlatformError.of(PlatformError.PlatformErrorKind.MALFORMED)));
      }
    };
  }

  private static RoomActivity activity(JsonNode meeting, Instant start) {
    return meeting.path("ongoing").asBoolean(true)
        ? new RoomActivity.RoomMeetingOngoing(start)
        : new RoomActivity.RoomMeetingEnded(
            DailyValueParser.text(meeting, "id").orElse(""),
            start,
            start.plusMillis(Math.round(meeting.path("duration").asDouble(0) * 1000)));
  }

  @Override
  public MeetingAttendance attendance(String session) {
    if (!ROOM.matcher(session).matches()) {
      return new MeetingAttendance.AttendanceKnown(List.of());
    }
    Map<String, Attendee> found = new LinkedHashMap<>();
    String path = "/meetings/" + session + "/participants?limit=100";
    String after = "";
    while (found.size() < PARTICIPANTS_MAX) {
      switch (http.get(path + after)) {
        case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) -> {
          if (platformError.cause() != PlatformError.PlatformErrorKind.NOT_FOUND) {
            return new MeetingAttendance.AttendanceUnknown(platformError);
          }
          // A page after the last one is a 404, and so is the first one of short visits alone.
          return after.isEmpty()
              ? attendanceWithoutList(session)
              : new MeetingAttendance.AttendanceKnown(List.copyOf(found.values()));
        }
        case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
          int before = found.size();
          body.path("data").forEach(row -> attendee(row).ifPresent(it -> add(it, found)));
          if (found.size() == before) {
            return new MeetingAttendance.AttendanceKnown(List.copyOf(found.values()));
          }
          after =
              "&joined_after="
                  + DailyValueParser.text(
                          body.path("data").path(body.path("data").size() - 1), "participant_id")
                      .filter(id -> ROOM.matcher(id).matches())
                      .orElse("");
        }
      }
    }
    return new MeetingAttendance.AttendanceKnown(List.copyOf(found.values()));
  }

  /** The attendance that the meeting itself names: whether it is there tells why it has no list. */
  private MeetingAttendance attendanceWithoutList(String session) {
    return switch (http.get("/meetings/" + session)) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new MeetingAttendance.AttendanceUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
        Map<String, Attendee> found = new LinkedHashMap<>();
        body.path("participants").forEach(row -> attendee(row).ifPresent(it -> add(it, found)));
        yield body.path("participants").isArray()
            ? new MeetingAttendance.AttendanceKnown(List.copyOf(found.values()))
            : new MeetingAttendance.AttendanceUnknown(
                PlatformError.of(PlatformError.PlatformErrorKind.MALFORMED));
      }
    };
  }

  private static void add(Attendee attendee, Map<String, Attendee> found) {
    Attendee _ = found.put(attendee.participant().sessionId(), attendee);
  }

  /** A row of the attendance; empty if it could not be parsed. */
  private static Optional<Attendee> attendee(JsonNode row) {
    Optional<Instant> joined = DailyValueParser.time(row, "join_time");
    double duration = DailyValueParser.number(row, "duration").orElse(-1);
    return DailyValueParser.text(row, "participant_id")
        .filter(id -> joined.isPresent() && duration >= 0)
        .map(
            id ->
                new Attendee(
                    new Participant(
                        id,
                        DailyValueParser.text(row, "user_id"),
                        DailyValueParser.text(row, "user_name"),
                        joined.get()),
                    joined.get().plusMillis(Math.round(duration * 1000))));
  }

  @Override
  public RoomAddress roomAddress(String room) {
    if (!keyed || !ROOM.matcher(room).matches()) {
      return RoomAddress.none();
    }
    if (System.nanoTime() - silentUntil < 0) {
      return new RoomAddress.RoomAddressUnknown(
          PlatformError.of(PlatformError.PlatformErrorKind.UNREACHABLE));
    }
    return switch (http.get("/rooms/" + room)) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          switch (platformError.cause()) {
            case NOT_FOUND, REFUSED -> RoomAddress.none();
            case RATE_LIMITED, SERVER_ERROR, MALFORMED ->
                new RoomAddress.RoomAddressUnknown(platformError);
            case TIMEOUT, UNREACHABLE -> {
              silentUntil = System.nanoTime() + SILENCE.toNanos();
              yield new RoomAddress.RoomAddressUnknown(platformError);
            }
          };
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) ->
          DailyValueParser.text(body, "url")
              .<RoomAddress>map(RoomAddress.RoomPage::new)
              .orElse(RoomAddress.none());
    };
  }

  /** Adds the participants of a list; returns how many entries could not be parsed. */
  private static int collect(JsonNode list, Map<String, Participant> found) {
    int unreadable = 0;
    for (JsonNode one : list) {
      String id = DailyValueParser.text(one, "id").orElse("");
      if (id.isEmpty()) {
        unreadable++;
        continue;
      }
      DailyValueParser.time(one, "joinTime")
          .ifPresent(
              joined ->
                  found.put(
                      id,
                      new Participant(
                          id,
                          DailyValueParser.text(one, "userId"),
                          DailyValueParser.text(one, "userName"),
                          joined,
                          DailyValueParser.text(one, "mtgSessionId"))));
      if (!found.containsKey(id)) {
        unreadable++;
      }
    }
    return unreadable;
  }
}

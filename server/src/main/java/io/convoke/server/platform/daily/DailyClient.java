package io.convoke.server.platform.daily;

import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.platform.RoomPresence;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Daily.co as a {@link PlatformClient}. Reads all pages; a list shorter than its own {@code
 * total_count} is partial, a 404 is unknown and not an empty room, a 429 freezes the rate limiter
 * of all nodes.
 */
public final class DailyClient implements PlatformClient {

  /** Maximum pages of one room: 100 participants each. */
  private static final int MAX_PAGES = 50;

  private final DailyHttpClient http;
  private final InstantSource time;

  public DailyClient(DailyConfig terms, RateLimiter rateLimiter, InstantSource time) {
    this.http = new DailyHttpClient(terms, rateLimiter);
    this.time = time;
  }

  @Override
  public String name() {
    return "daily";
  }

  @Override
  public RoomPresence presence(String room) {
    Instant fetchedAt = time.instant();
    String path = "/rooms/" + encode(room) + "/presence";
    Map<String, Participant> found = new LinkedHashMap<>();
    String cursor = "";
    for (int page = 0; page < MAX_PAGES; page++) {
      DailyHttpClient.DailyReply dailyReply = http.get(path + cursor);
      switch (dailyReply) {
        case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) -> {
          return found.isEmpty()
              ? new RoomPresence.RoomPresenceUnknown(platformError, fetchedAt)
              : new RoomPresence.RoomPresencePartial(List.copyOf(found.values()), -1, fetchedAt);
        }
        case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
          if (!body.path("data").isArray()) {
            return new RoomPresence.RoomPresenceUnknown(
                PlatformError.of(PlatformError.PlatformErrorKind.MALFORMED), fetchedAt);
          }
          int before = found.size();
          int unreadable = collect(body.path("data"), found);
          int rows = found.size() + unreadable;
          int total = body.path("total_count").asInt(rows);
          if (rows >= total && unreadable == 0) {
            return new RoomPresence.RoomPresenceComplete(List.copyOf(found.values()), fetchedAt);
          }
          if (found.size() == before || unreadable > 0) {
            return new RoomPresence.RoomPresencePartial(
                List.copyOf(found.values()), total, fetchedAt);
          }
          cursor = "?starting_after=" + encode(List.copyOf(found.keySet()).getLast());
        }
      }
    }
    return new RoomPresence.RoomPresencePartial(List.copyOf(found.values()), -1, fetchedAt);
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
    return switch (http.get("/meetings?limit=1&room=" + encode(room))) {
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
            start, start.plusMillis(Math.round(meeting.path("duration").asDouble(0) * 1000)));
  }

  @Override
  public Optional<String> roomUrl(String room) {
    return switch (http.get("/rooms/" + encode(room))) {
      case DailyHttpClient.DailyReply.DailyCallFailed dailyCallFailed -> Optional.empty();
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) ->
          DailyValueParser.text(body, "url");
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
                          joined)));
      if (!found.containsKey(id)) {
        unreadable++;
      }
    }
    return unreadable;
  }

  private static String encode(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }
}

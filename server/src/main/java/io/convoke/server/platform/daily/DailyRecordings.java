package io.convoke.server.platform.daily;

import io.convoke.engine.json.Json;
import io.convoke.server.platform.Budget;
import io.convoke.server.platform.Outage;
import io.convoke.server.platform.RecordingFacts;
import io.convoke.server.platform.RecordingFacts.Stage;
import io.convoke.server.platform.RecordingNews;
import io.convoke.server.platform.RecordingSource;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Daily's recordings. Listing has a budget of its own (two a second for the account); everything
 * else shares the one of all other calls. A recording whose status is new to us counts as running:
 * it is looked at again.
 */
public final class DailyRecordings implements RecordingSource {
  /** How long a link shall hold; a download that takes longer asks for another. */
  private static final Duration LINK_LASTS = Duration.ofHours(1);

  private static final int PAGE = 100;
  private static final int ATTENDANCE_PAGES_MAX = 20;
  private static final int WORDS_MAX = 300;

  /** Ids become names in Redis and in the blob store. */
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,128}");

  private final DailyHttp http;
  private final DailyHttp listing;

  /** {@code listing} is the budget of {@code GET /recordings} alone. */
  public DailyRecordings(DailyTerms terms, Budget budget, Budget listing) {
    this.http = new DailyHttp(terms, budget);
    this.listing = new DailyHttp(terms, listing);
  }

  @Override
  public String name() {
    return "daily";
  }

  @Override
  public Page list(Optional<String> after) {
    String cursor = after.map(id -> "&starting_after=" + encode(id)).orElse("");
    return switch (listing.get("/recordings?limit=" + PAGE + cursor)) {
      case DailyHttp.Reply.Failed(Outage outage) -> new Page.Unknown(outage);
      case DailyHttp.Reply.Json(JsonNode body) -> {
        if (!body.path("data").isArray()) {
          yield new Page.Unknown(Outage.of(Outage.Cause.MALFORMED));
        }
        yield page(body.path("data"));
      }
    };
  }

  private static Page page(JsonNode data) {
    List<RecordingFacts> found = new ArrayList<>();
    Optional<String> last = Optional.empty();
    int rows = 0;
    for (JsonNode one : data) {
      rows++;
      last = DailyValues.text(one, "id").or(() -> Optional.empty());
      listed(one).ifPresent(found::add);
    }
    return new Page.Listed(found, rows - found.size(), rows < PAGE ? Optional.empty() : last);
  }

  @Override
  public Look look(String recordingId) {
    return switch (http.get("/recordings/" + encode(recordingId))) {
      case DailyHttp.Reply.Failed(Outage outage) ->
          outage.cause() == Outage.Cause.NOT_FOUND ? new Look.Missing() : new Look.Unknown(outage);
      case DailyHttp.Reply.Json(JsonNode body) ->
          listed(body)
              .<Look>map(Look.Found::new)
              .orElseGet(() -> new Look.Unknown(Outage.of(Outage.Cause.MALFORMED)));
    };
  }

  /** Daily may answer 200 with a sentence where the link should be. */
  @Override
  public Link link(String recordingId) {
    String path =
        "/recordings/"
            + encode(recordingId)
            + "/access-link?valid_for_secs="
            + LINK_LASTS.toSeconds();
    return switch (http.get(path)) {
      case DailyHttp.Reply.Failed(Outage outage) -> new Link.Unknown(outage);
      case DailyHttp.Reply.Json(JsonNode body) -> {
        String link = body.path("download_link").asString("").strip();
        yield link.matches("https?://\\S+") ? readable(link) : new Link.None(shortened(link));
      }
    };
  }

  private static Link readable(String link) {
    try {
      return new Link.Ready(URI.create(link));
    } catch (IllegalArgumentException notAddress) {
      return new Link.None("the link is not an address");
    }
  }

  @Override
  public Optional<Set<String>> attendance(String meetingSessionId) {
    Set<String> connections = new LinkedHashSet<>();
    String cursor = "";
    for (int page = 0; page < ATTENDANCE_PAGES_MAX; page++) {
      String path = "/meetings/" + encode(meetingSessionId) + "/participants" + cursor;
      switch (http.get(path)) {
        case DailyHttp.Reply.Failed(Outage outage) -> {
          // Daily answers 404 when nothing remains.
          return outage.cause() == Outage.Cause.NOT_FOUND
              ? Optional.of(connections)
              : Optional.empty();
        }
        case DailyHttp.Reply.Json(JsonNode body) -> {
          int before = connections.size();
          for (JsonNode one : body.path("data")) {
            DailyValues.text(one, "participant_id").ifPresent(connections::add);
          }
          if (connections.size() == before) {
            return Optional.of(connections);
          }
          cursor = "?joined_after=" + encode(List.copyOf(connections).getLast());
        }
      }
    }
    return Optional.of(connections);
  }

  @Override
  public RecordingNews news(byte[] body) {
    JsonNode event;
    try {
      event = Json.mapper().readTree(body);
    } catch (JacksonException notJson) {
      return new RecordingNews.Unreadable("not JSON");
    }
    JsonNode payload = event.path("payload");
    String type = event.path("type").asString("");
    Optional<String> room =
        DailyValues.text(payload, "room_name").or(() -> DailyValues.text(payload, "room"));
    return switch (type) {
      case "recording.started" -> told(payload, room, Stage.RUNNING);
      case "recording.ready-to-download" -> told(payload, room, Stage.FINISHED);
      case "recording.error" ->
          room.<RecordingNews>map(
                  name ->
                      new RecordingNews.Failed(
                          name,
                          DailyValues.text(payload, "instance_id"),
                          shortened(payload.path("error_msg").asString(""))))
              .orElseGet(() -> new RecordingNews.Unreadable("recording.error without a room"));
      default -> new RecordingNews.Unreadable("no news of a recording: " + shortened(type));
    };
  }

  private static RecordingNews told(JsonNode payload, Optional<String> room, Stage stage) {
    return facts(payload, payload.path("recording_id").asString(""), room.orElse(""), stage)
        .<RecordingNews>map(RecordingNews.Told::new)
        .orElseGet(() -> new RecordingNews.Unreadable("a recording without an id that we can use"));
  }

  private static Optional<RecordingFacts> listed(JsonNode one) {
    Stage stage =
        switch (one.path("status").asString("")) {
          case "finished" -> Stage.FINISHED;
          case "canceled", "cancelled" -> Stage.CANCELLED;
          default -> Stage.RUNNING;
        };
    return facts(
        one, one.path("id").asString(""), DailyValues.text(one, "room_name").orElse(""), stage);
  }

  private static Optional<RecordingFacts> facts(
      JsonNode node, String id, String room, Stage stage) {
    if (!ID.matcher(id).matches()) {
      return Optional.empty();
    }
    JsonNode duration = node.path("duration");
    return Optional.of(
        new RecordingFacts(
            id,
            room,
            DailyValues.text(node, "mtgSessionId"),
            DailyValues.text(node, "instance_id"),
            DailyValues.time(node, "start_ts"),
            duration.isNumber() && duration.asDouble() >= 0
                ? Optional.of(Duration.ofMillis(Math.round(duration.asDouble() * 1000)))
                : Optional.empty(),
            stage,
            DailyValues.text(node, "type")
                .orElse(node.path("tracks").isEmpty() ? "cloud" : "raw-tracks")));
  }

  private static String shortened(String words) {
    String line = words.replace("\0", "").strip().replaceAll("\\s+", " ");
    return line.substring(0, Math.min(line.length(), WORDS_MAX));
  }

  private static String encode(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }
}

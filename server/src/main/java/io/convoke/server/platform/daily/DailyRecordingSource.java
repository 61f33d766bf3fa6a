package io.convoke.server.platform.daily;

import io.convoke.engine.json.Json;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingWebhook;
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
 * Daily's recordings. Listing has its own rate limit (two a second for the account); other calls
 * share the general one. A recording with an unknown status counts as running and is checked again.
 */
public final class DailyRecordingSource implements RecordingSource {
  /** Validity of a link; a longer download requests another. */
  private static final Duration LINK_LASTS = Duration.ofHours(1);

  private static final Optional<String> RAW_TRACKS = Optional.of("raw-tracks");
  private static final int PAGE = 100;
  private static final int ATTENDANCE_PAGES_MAX = 20;
  private static final int WORDS_MAX = 300;

  /** Ids become names in Redis and in the blob store. */
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,128}");

  private final DailyHttpClient http;
  private final DailyHttpClient listing;
  private final boolean account;

  /** {@code listing} is the rate limiter of {@code GET /recordings}. */
  public DailyRecordingSource(DailyConfig terms, RateLimiter rateLimiter, RateLimiter listing) {
    this.http = new DailyHttpClient(terms, rateLimiter);
    this.listing = new DailyHttpClient(terms, listing);
    this.account = !terms.apiKey().isEmpty();
  }

  @Override
  public String name() {
    return "daily";
  }

  @Override
  public RecordingPage list(Optional<String> after) {
    String cursor = after.map(id -> "&starting_after=" + encode(id)).orElse("");
    return switch (listing.get("/recordings?limit=" + PAGE + cursor)) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new RecordingPage.RecordingPageUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
        if (!body.path("data").isArray()) {
          yield new RecordingPage.RecordingPageUnknown(
              PlatformError.of(PlatformError.PlatformErrorKind.MALFORMED));
        }
        yield page(body.path("data"));
      }
    };
  }

  private static RecordingPage page(JsonNode data) {
    List<RecordingInfo> found = new ArrayList<>();
    Optional<String> last = Optional.empty();
    int rows = 0;
    for (JsonNode one : data) {
      rows++;
      last = DailyValueParser.text(one, "id");
      listed(one).ifPresent(found::add);
    }
    return new RecordingPage.RecordingsListed(
        found, rows - found.size(), rows < PAGE ? Optional.empty() : last);
  }

  /** Webhooks may come without an account that could be asked about them. */
  @Override
  public RecordingLookup lookUp(String recordingId) {
    if (!account) {
      return new RecordingLookup.RecordingLookupUnknown(
          PlatformError.of(PlatformError.PlatformErrorKind.REFUSED));
    }
    return switch (http.get("/recordings/" + encode(recordingId))) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          platformError.cause() == PlatformError.PlatformErrorKind.NOT_FOUND
              ? new RecordingLookup.RecordingNotFound()
              : new RecordingLookup.RecordingLookupUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) ->
          listed(body)
              .<RecordingLookup>map(RecordingLookup.RecordingFound::new)
              .orElseGet(
                  () ->
                      new RecordingLookup.RecordingLookupUnknown(
                          PlatformError.of(PlatformError.PlatformErrorKind.MALFORMED)));
    };
  }

  /** Requests a link; Daily may answer 200 with a message in place of the link. */
  @Override
  public RecordingLinkResult link(String recordingId) {
    String path =
        "/recordings/"
            + encode(recordingId)
            + "/access-link?valid_for_secs="
            + LINK_LASTS.toSeconds();
    return switch (http.get(path)) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new RecordingLinkResult.RecordingLinkUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
        String link = body.path("download_link").asString("").strip();
        yield link.matches("https?://\\S+")
            ? readable(link)
            : new RecordingLinkResult.NoRecordingLink(shortened(link));
      }
    };
  }

  private static RecordingLinkResult readable(String link) {
    try {
      return new RecordingLinkResult.RecordingLinkReady(URI.create(link));
    } catch (IllegalArgumentException notAddress) {
      return new RecordingLinkResult.NoRecordingLink("the link is not an address");
    }
  }

  @Override
  public RecordingTracksResult tracks(String recordingId) {
    return switch (http.get("/recordings/" + encode(recordingId))) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new RecordingTracksResult.RecordingTracksUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) ->
          new RecordingTracksResult.RecordingTracksListed(
              DailyTrackKeys.audioTracks(body.path("tracks")));
    };
  }

  /** Nothing: an account's recordings at Daily are its owner's. */
  @Override
  public void settled(Set<String> recordingIds) {}

  @Override
  public Optional<Set<String>> attendance(String meetingSessionId) {
    Set<String> connections = new LinkedHashSet<>();
    String cursor = "";
    for (int page = 0; page < ATTENDANCE_PAGES_MAX; page++) {
      String path = "/meetings/" + encode(meetingSessionId) + "/participants" + cursor;
      switch (http.get(path)) {
        case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) -> {
          // Daily returns 404 when no entries remain.
          return platformError.cause() == PlatformError.PlatformErrorKind.NOT_FOUND
              ? Optional.of(connections)
              : Optional.empty();
        }
        case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
          int before = connections.size();
          for (JsonNode one : body.path("data")) {
            DailyValueParser.text(one, "participant_id").ifPresent(connections::add);
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
  public RecordingWebhook parseWebhook(byte[] body) {
    JsonNode event;
    try {
      event = Json.mapper().readTree(body);
    } catch (JacksonException notJson) {
      return new RecordingWebhook.UnreadableRecordingWebhook("not JSON");
    }
    JsonNode payload = event.path("payload");
    String type = event.path("type").asString("");
    Optional<String> room =
        DailyValueParser.text(payload, "room_name")
            .or(() -> DailyValueParser.text(payload, "room"));
    return switch (type) {
      case "recording.started" -> report(payload, room, PlatformRecordingStatus.RUNNING);
      case "recording.ready-to-download" -> report(payload, room, PlatformRecordingStatus.FINISHED);
      case "recording.error" ->
          room.<RecordingWebhook>map(
                  name ->
                      new RecordingWebhook.RecordingFailedWebhook(
                          name,
                          DailyValueParser.text(payload, "instance_id"),
                          shortened(payload.path("error_msg").asString(""))))
              .orElseGet(
                  () ->
                      new RecordingWebhook.UnreadableRecordingWebhook(
                          "recording.error without a room"));
      default ->
          new RecordingWebhook.UnreadableRecordingWebhook(
              "not a recording event: " + shortened(type));
    };
  }

  private static RecordingWebhook report(
      JsonNode payload, Optional<String> room, PlatformRecordingStatus platformRecordingStatus) {
    return facts(
            payload,
            payload.path("recording_id").asString(""),
            room.orElse(""),
            platformRecordingStatus)
        .<RecordingWebhook>map(RecordingWebhook.RecordingStatusWebhook::new)
        .orElseGet(
            () ->
                new RecordingWebhook.UnreadableRecordingWebhook("a recording without a valid id"));
  }

  private static Optional<RecordingInfo> listed(JsonNode one) {
    PlatformRecordingStatus platformRecordingStatus =
        switch (one.path("status").asString("")) {
          case "finished" -> PlatformRecordingStatus.FINISHED;
          case "canceled", "cancelled" -> PlatformRecordingStatus.CANCELLED;
          default -> PlatformRecordingStatus.RUNNING;
        };
    return facts(
        one,
        one.path("id").asString(""),
        DailyValueParser.text(one, "room_name").orElse(""),
        platformRecordingStatus);
  }

  private static Optional<RecordingInfo> facts(
      JsonNode node, String id, String room, PlatformRecordingStatus platformRecordingStatus) {
    if (!ID.matcher(id).matches()) {
      return Optional.empty();
    }
    JsonNode duration = node.path("duration");
    return Optional.of(
        new RecordingInfo(
            id,
            room,
            DailyValueParser.text(node, "mtgSessionId"),
            DailyValueParser.text(node, "instance_id"),
            DailyValueParser.time(node, "start_ts"),
            duration.isNumber() && duration.asDouble() >= 0
                ? Optional.of(Duration.ofMillis(Math.round(duration.asDouble() * 1000)))
                : Optional.empty(),
            platformRecordingStatus,
            DailyValueParser.text(node, "type")
                .or(() -> node.path("tracks").isEmpty() ? Optional.empty() : RAW_TRACKS)));
  }

  private static String shortened(String message) {
    String line = message.replace("\0", "").strip().replaceAll("\\s+", " ");
    return line.substring(0, Math.min(line.length(), WORDS_MAX));
  }

  private static String encode(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }
}

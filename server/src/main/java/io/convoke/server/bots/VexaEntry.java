package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * An entry of the streams that Vexa's image, or its WhisperLive, writes to Redis. Pure. Every entry
 * that means something shows a token: {@code token}, or in 0.12, which writes none, the {@code
 * native_meeting_id} that the bot was given ({@link VexaConfig#closed}).
 */
sealed interface VexaEntry {
  /** Longer texts and names are no words of a meeting. */
  int TEXT_MAX = 4096;

  int NAME_MAX = 255;
  double SECONDS_MAX = 1e7;

  /** Seconds that are larger are those of the epoch. */
  double EPOCH_SECONDS = 1e9;

  /** The token that it shows; whether that is good is for the reader to see. */
  String token();

  /** A connection to the transcriber began. */
  record VexaSessionEntry(String token, String uid, Instant began) implements VexaEntry {}

  /** Words, of a connection if that is named. */
  record VexaSpokenEntry(String token, Optional<String> uid, List<VexaSegment> segments)
      implements VexaEntry {}

  /** Segments that were a mistake. */
  record VexaRetractEntry(String token, List<String> segmentIds) implements VexaEntry {}

  /** A participant began or stopped to speak, in milliseconds of a connection. */
  record VexaSpeakerEntry(String token, String uid, long atMs, boolean starts, String name)
      implements VexaEntry {}

  /** It means nothing to us; {@code why} for the log. */
  record VexaOtherEntry(String token, String why) implements VexaEntry {}

  /**
   * A segment that will not change.
   *
   * @param start in seconds of its connection
   * @param at when it began by the clock, if it says so; then that counts
   * @param id by which it may be named again
   */
  record VexaSegment(
      double start,
      Duration length,
      Optional<Instant> at,
      String text,
      Optional<String> speaker,
      Optional<String> language,
      Optional<String> id) {}

  /** Reads an entry of the stream of words: one field, {@code payload}, of JSON. */
  static VexaEntry words(Map<String, String> fields) {
    JsonNode payload;
    try {
      payload = Json.read(Optional.ofNullable(fields.get("payload")).orElse(""));
    } catch (JacksonException e) {
      return new VexaOtherEntry("", "not JSON");
    }
    String token = text(payload, "token").or(() -> text(payload, "native_meeting_id")).orElse("");
    return switch (payload.path("type").asString("")) {
      case "session_start" -> session(token, payload);
      case "transcription" -> new VexaSpokenEntry(token, text(payload, "uid"), segments(payload));
      case "transcript_retract" ->
          new VexaRetractEntry(
              token,
              payload
                  .path("segment_ids")
                  .valueStream()
                  .filter(JsonNode::isString)
                  .map(id -> cleaned(id.asString(), NAME_MAX))
                  .toList());
      case "session_end" -> new VexaOtherEntry(token, "the end of a session");
      default -> new VexaOtherEntry(token, "an unknown type");
    };
  }

  /** Reads an entry of the stream of speakers, whose fields are flat. */
  static VexaEntry speaker(Map<String, String> fields) {
    String token = Optional.ofNullable(fields.get("token")).orElse("");
    String uid = cleaned(Optional.ofNullable(fields.get("uid")).orElse(""), NAME_MAX);
    String name = cleaned(Optional.ofNullable(fields.get("participant_name")).orElse(""), NAME_MAX);
    String kind = Optional.ofNullable(fields.get("event_type")).orElse("");
    double at = number(fields.get("relative_client_timestamp_ms"));
    boolean starts = kind.equals("SPEAKER_START");
    return uid.isEmpty()
            || name.isEmpty()
            || !(Math.abs(at) < SECONDS_MAX * 1000)
            || !(starts || kind.equals("SPEAKER_END"))
        ? new VexaOtherEntry(token, "not about a speaker")
        : new VexaSpeakerEntry(token, uid, Math.round(at), starts, name);
  }

  private static VexaEntry session(String token, JsonNode payload) {
    Optional<String> uid = text(payload, "uid");
    Optional<Instant> began = instant(payload, "start_timestamp");
    return uid.isPresent() && began.isPresent()
        ? new VexaSessionEntry(token, uid.get(), began.get())
        : new VexaOtherEntry(token, "a session without a beginning");
  }

  private static List<VexaSegment> segments(JsonNode payload) {
    List<VexaSegment> segments = new ArrayList<>();
    for (JsonNode segment : payload.path("segments")) {
      String words = cleaned(segment.path("text").asString(""), TEXT_MAX);
      double start = number(segment.path("start"));
      double end = number(segment.path("end"));
      Optional<Instant> at = instant(segment, "absolute_start_time").or(() -> epoch(start));
      boolean placed =
          start >= 0
              && end >= 0
              && end - start < SECONDS_MAX
              && (at.isPresent() || start < SECONDS_MAX);
      if (segment.path("completed").asBoolean(false) && !words.isEmpty() && placed) {
        segments.add(
            new VexaSegment(
                start,
                Duration.ofMillis(Math.round(Math.max(0, end - start) * 1000)),
                at,
                words,
                text(segment, "speaker"),
                text(segment, "language").filter(language -> language.length() <= 35),
                text(segment, "segment_id")));
      }
    }
    return segments;
  }

  private static Optional<Instant> epoch(double seconds) {
    return seconds >= EPOCH_SECONDS && seconds < EPOCH_SECONDS * 10
        ? Optional.of(Instant.ofEpochMilli(Math.round(seconds * 1000)))
        : Optional.empty();
  }

  private static Optional<Instant> instant(JsonNode node, String field) {
    try {
      return text(node, field).map(text -> OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> text(JsonNode node, String field) {
    return Optional.of(cleaned(node.path(field).asString(""), NAME_MAX))
        .filter(text -> !text.isEmpty());
  }

  /** One line without control characters; the database takes no NUL. */
  private static String cleaned(String text, int max) {
    String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
    return line.substring(0, Math.min(line.length(), max));
  }

  private static double number(JsonNode node) {
    return node.isNumber() ? node.asDouble() : number(node.asString(""));
  }

  private static double number(@org.jspecify.annotations.Nullable String text) {
    try {
      return text == null || text.isBlank() ? Double.NaN : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }
}

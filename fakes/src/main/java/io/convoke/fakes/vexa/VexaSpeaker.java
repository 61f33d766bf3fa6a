package io.convoke.fakes.vexa;

import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is said in the meeting, as the stream gets it: Ada's "Good morning, everyone." and Grace's
 * "Shall we begin?". Up to 0.9 Vexa's WhisperLive writes it, by the token that the bot sent it, and
 * names are in another stream; 0.10 writes it itself, with names; 0.12 too, without a token, with
 * drafts, a name that comes late, and a line that it takes back.
 */
final class VexaSpeaker {
  static final String SEGMENTS = "transcription_segments";
  static final String SPEAKERS = "speaker_events_relative";

  private final VexaBotConfig config;
  private final VexaRelease vexaRelease;
  private final Instant began = Instant.now();

  VexaSpeaker(VexaBotConfig config, VexaRelease vexaRelease) {
    this.config = config;
    this.vexaRelease = vexaRelease;
  }

  /** Writes them, if there is a transcriber. */
  void say() {
    boolean transcribed =
        vexaRelease.transcribedElsewhere()
            ? System.getenv("WHISPER_LIVE_URL") != null
            : config.transcriptionServiceUrl().isPresent();
    if (!transcribed) {
      System.out.println("not transcribed");
      return;
    }
    try (VexaRedis redis = new VexaRedis(config.redisUrl())) {
      switch (vexaRelease) {
        case V0_4, V0_5, V0_6, V0_9 -> byWhisperLive(redis);
        case V0_10, V0_10_7 -> byItself(redis);
        case V0_12 -> withoutToken(redis);
      }
      System.out.println("said");
    } catch (IOException e) {
      System.out.println("no words: " + e.getMessage());
    }
  }

  private void byWhisperLive(VexaRedis redis) throws IOException {
    String uid = UUID.randomUUID().toString();
    start(redis, uid);
    speaker(redis, uid, "SPEAKER_START", 400, "Ada");
    speaker(redis, uid, "SPEAKER_END", 2_100, "Ada");
    speaker(redis, uid, "SPEAKER_START", 2_400, "Grace");
    Map<String, Object> first = heard("0.500", "2.000", " Good morning, everyone.", true);
    words(redis, uid, List.of(heard("0.500", "1.200", " Good morning", false)));
    words(redis, uid, List.of(first));
    words(redis, uid, List.of(first, heard("2.500", "4.000", " Shall we begin?", true)));
  }

  private void byItself(VexaRedis redis) throws IOException {
    String uid = config.connectionId();
    start(redis, uid);
    Map<String, String> unneeded = new LinkedHashMap<>();
    unneeded.put("uid", uid);
    unneeded.put("relative_client_timestamp_ms", "400");
    unneeded.put("event_type", "SPEAKER_START");
    unneeded.put("participant_name", "Ada");
    unneeded.put("meeting_id", Long.toString(config.meetingId()));
    redis.add(SPEAKERS, unneeded);
    words(redis, uid, List.of(spoken(0.5, 2.0, "Good morning, everyone.", "Ada", 1)));
    words(redis, uid, List.of(spoken(2.5, 4.0, "Shall we begin?", "Grace", 2)));
  }

  private void withoutToken(VexaRedis redis) throws IOException {
    segment(redis, line(0.5, 1.2, "Good morning", "Ada", "ch-0:1", false));
    segment(redis, line(0.5, 2.0, "Good morning, everyone.", "Ada", "ch-0:1", true));
    segment(redis, line(2.5, 4.0, "Shall we begin?", "", "ch-1:1", true));
    segment(redis, line(2.5, 4.0, "Shall we begin?", "Grace", "ch-1:1", true));
    segment(redis, line(4.5, 5.0, "Thank you.", "", "ch-2:1", true));
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("type", "transcript_retract");
    payload.put("meeting_id", config.meetingId());
    payload.put("native_meeting_id", config.nativeMeetingId());
    payload.put("segment_ids", List.of(id("ch-2:1", 4.5)));
    write(redis, payload);
  }

  private void start(VexaRedis redis, String uid) throws IOException {
    Map<String, Object> payload = head("session_start", uid);
    payload.put("start_timestamp", began.toString());
    write(redis, payload);
  }

  private void words(VexaRedis redis, String uid, List<Map<String, Object>> segments)
      throws IOException {
    Map<String, Object> payload = head("transcription", uid);
    payload.put("segments", segments);
    write(redis, payload);
  }

  private Map<String, Object> head(String type, String uid) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("type", type);
    payload.put("token", config.token());
    payload.put("platform", config.platform());
    payload.put(
        "meeting_id",
        vexaRelease.listensByMeeting()
            ? Long.toString(config.meetingId())
            : config.nativeMeetingId());
    payload.put("uid", uid);
    return payload;
  }

  private void speaker(VexaRedis redis, String uid, String kind, long at, String name)
      throws IOException {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("event_type", kind);
    fields.put("participant_name", name);
    fields.put("participant_id_meet", "spaces/x/devices/" + name);
    fields.put("relative_client_timestamp_ms", Long.toString(at));
    fields.put("uid", uid);
    fields.put("token", config.token());
    fields.put("platform", config.platform());
    fields.put("meeting_id", config.nativeMeetingId());
    fields.put("meeting_url", config.room());
    fields.put("server_received_timestamp_iso", Instant.now().toString());
    redis.add(SPEAKERS, fields);
  }

  private static Map<String, Object> heard(
      String start, String end, String text, boolean completed) {
    return Map.of(
        "start", start, "end", end, "text", text, "completed", completed, "language", "en");
  }

  private Map<String, Object> spoken(
      double start, double end, String text, String speaker, int number) {
    Map<String, Object> segment = new LinkedHashMap<>();
    segment.put("start", start);
    segment.put("end", end);
    segment.put("text", text);
    segment.put("language", "en");
    segment.put("completed", true);
    segment.put("speaker", speaker);
    segment.put("segment_id", config.connectionId() + ":speaker-" + speaker + ":" + number);
    segment.put("absolute_start_time", at(start).toString());
    segment.put("absolute_end_time", at(end).toString());
    return segment;
  }

  /** Seconds of the epoch, whatever the contract calls them. */
  private Map<String, Object> line(
      double start, double end, String text, String speaker, String key, boolean completed) {
    Map<String, Object> segment = new LinkedHashMap<>();
    segment.put("segment_id", id(key, start));
    segment.put("speaker", speaker);
    segment.put("speaker_key", key);
    segment.put("text", text);
    segment.put("start", at(start).toEpochMilli() / 1000.0);
    segment.put("end", at(end).toEpochMilli() / 1000.0);
    segment.put("language", "en");
    segment.put("completed", completed);
    segment.put("absolute_start_time", at(start).toString());
    segment.put("absolute_end_time", at(end).toString());
    segment.put("source", "glow-bound");
    segment.put("confidence", 1);
    return segment;
  }

  private void segment(VexaRedis redis, Map<String, Object> segment) throws IOException {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("type", "transcription");
    payload.put("meeting_id", config.meetingId());
    payload.put("native_meeting_id", config.nativeMeetingId());
    payload.put("segments", List.of(segment));
    write(redis, payload);
  }

  private String id(String key, double start) {
    return key + ":" + at(start).toEpochMilli();
  }

  private Instant at(double seconds) {
    return began.plusMillis(Math.round(seconds * 1000));
  }

  private static void write(VexaRedis redis, Map<String, Object> payload) throws IOException {
    redis.add(SEGMENTS, Map.of("payload", JsonMapper.shared().writeValueAsString(payload)));
  }
}

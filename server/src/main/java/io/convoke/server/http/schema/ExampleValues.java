package io.convoke.server.http.schema;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the members of requests and answers hold in examples, by their names. A value is used where
 * it fits the member's schema.
 */
final class ExampleValues {
  /** The time of all examples. */
  static final String TIME = "2026-04-13T10:30:00.000Z";

  /** Members that are null in examples where they may be: what has gone wrong, or is not yet. */
  private static final Set<String> NULL =
      Set.of(
          "next_cursor",
          "end_request",
          "end_time",
          "ended_at",
          "error_message",
          "exit_code",
          "expires_at",
          "failure",
          "last_error",
          "lease_expiry",
          "left_at",
          "lobby_since",
          "oidc_issuer",
          "oidc_subject",
          "queue",
          "revoked_at",
          "stalled_at",
          "stalled_since",
          "stop_requested_at",
          "team_id",
          "unanswered");

  private static final Map<String, String> WORDS =
      Map.ofEntries(
          Map.entry("account_id", "24680135"),
          Map.entry("action", "start"),
          Map.entry("actor", "user:7"),
          Map.entry("address", "203.0.113.7"),
          Map.entry("api_key", "cvk_3f6c9a1e7b2d4850"),
          Map.entry("attribution", "us"),
          Map.entry("audio_url", "https://convoke.example.org/recordings/rec_8c1f/audio"),
          Map.entry("authorize_url", "https://app.hubspot.com/oauth/authorize?client_id=1f0a"),
          Map.entry("body", "{\"type\": \"participant.joined\"}"),
          Map.entry("bot_name", "Notes"),
          Map.entry("by", "admin"),
          Map.entry("applied", "language"),
          Map.entry("cause", "webhook"),
          Map.entry("completion_reason", "stopped"),
          Map.entry("container_id", "convoke-bot-42"),
          Map.entry("channel", "stand-up"),
          Map.entry("code", "not_found"),
          Map.entry("command_id", "cmd_5d02"),
          Map.entry("connection_id", "c0f1a7d2"),
          Map.entry("detail", "The platform answers."),
          Map.entry("email", "ada@example.org"),
          Map.entry("field", "text"),
          Map.entry("from", "reserved"),
          Map.entry("guest", "https://convoke.example.org/join.html#eyJyIjoic3RhbmQtdXAifQ"),
          Map.entry("highlight", "The <mark>budget</mark> is approved."),
          Map.entry("host", "https://convoke.example.org/join.html#eyJoIjoic3RhbmQtdXAifQ"),
          Map.entry("id", "0f8c1e2d"),
          Map.entry("ids", "0f8c1e2d"),
          Map.entry("job_id", "job_17"),
          Map.entry("key", "name"),
          Map.entry("language", "en"),
          Map.entry("last_step", "push"),
          Map.entry("last_synced_by", "convoke"),
          Map.entry("meeting_id", "42"),
          Map.entry("meeting_url", "https://example.daily.co/stand-up"),
          Map.entry("message_id", "msg_3_1718"),
          Map.entry("name", "stand-up"),
          Map.entry("native_meeting_id", "stand-up"),
          Map.entry("node", "node-1"),
          Map.entry("parent", "0f8c1e2d"),
          Map.entry("participant_id", "p_19"),
          Map.entry("platform", "daily"),
          Map.entry("platform_specific_id", "stand-up"),
          Map.entry("pod_id", "pod-eu-1"),
          Map.entry("reason", "requested"),
          Map.entry("recording_id", "rec_8c1f"),
          Map.entry("region", "eu-west-1"),
          Map.entry("request_id", "req-1"),
          Map.entry("room", "stand-up"),
          Map.entry("scopes", "crm.objects.contacts.read"),
          Map.entry("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
          Map.entry("session_id", "s_4b7e"),
          Map.entry("session_uid", "9b2f60d4"),
          Map.entry("setting", "language"),
          Map.entry("source", "webhook"),
          Map.entry("speaker", "Ada"),
          Map.entry("state", "active"),
          Map.entry("status", "active"),
          Map.entry("step", "push"),
          Map.entry("subject", "meeting:42"),
          Map.entry("synced_by", "convoke"),
          Map.entry("target", "user:7"),
          Map.entry("task", "transcribe"),
          Map.entry("task_id", "0f8c1e2d"),
          Map.entry("task_type", "record"),
          Map.entry("text", "Good morning"),
          Map.entry("title", "Not Found"),
          Map.entry("to", "starting"),
          Map.entry("token", "cvk_3f6c9a1e7b2d4850"),
          Map.entry("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"),
          Map.entry("trigger", "webhook"),
          Map.entry("type", "meeting.status_changed"),
          Map.entry("types", "meeting.status_changed"),
          Map.entry("url", "https://example.org/hooks"),
          Map.entry("user_id", "p_19"),
          Map.entry("user_name", "Ada"),
          Map.entry("word", "morning"));

  private static final Map<String, Number> NUMBERS =
      Map.ofEntries(
          Map.entry("at", 1.2),
          Map.entry("audio_seconds", 312.5),
          Map.entry("chunk_seq", 0),
          Map.entry("confidence", 0.94),
          Map.entry("duration_s", 1800),
          Map.entry("end", 2.9),
          Map.entry("error", 0),
          Map.entry("expires_in", 86_400),
          Map.entry("id", 42),
          Map.entry("key_id", 5),
          Map.entry("last_status", 200),
          Map.entry("level_db", -21.5),
          Map.entry("limit", 100_000),
          Map.entry("meeting_id", 42),
          Map.entry("next_after", 1718),
          Map.entry("num_clients", 3),
          Map.entry("participants", 3),
          Map.entry("segment_id", 7),
          Map.entry("segments", 118),
          Map.entry("seq", 1718),
          Map.entry("slots", 4),
          Map.entry("start", 1.2),
          Map.entry("status", 200),
          Map.entry("took_ms", 84),
          Map.entry("used", 12),
          Map.entry("user_id", 7),
          Map.entry("worker_id", 1));

  private ExampleValues() {}

  static boolean isNull(String member) {
    return NULL.contains(member);
  }

  static Optional<String> word(String member) {
    return Optional.ofNullable(WORDS.get(member));
  }

  static Optional<Number> number(String member) {
    return Optional.ofNullable(NUMBERS.get(member));
  }
}

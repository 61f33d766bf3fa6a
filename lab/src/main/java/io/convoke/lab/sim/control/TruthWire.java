package io.convoke.lab.sim.control;

import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.webhook.Attempt;
import io.convoke.lab.sim.webhook.Delivery;
import io.convoke.lab.sim.world.Meeting;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.Session;
import java.util.Locale;
import java.util.Map;

/** The truth as JSON. */
final class TruthWire {

  private TruthWire() {}

  static Map<String, Object> wire(Truth truth) {
    return Fields.of("seed", truth.seed())
        .put("at", Json.time(truth.at()))
        .put("forgotten", truth.forgotten())
        .put("meetings", truth.meetings().stream().map(TruthWire::meeting).toList())
        .put("sessions", truth.sessions().stream().map(TruthWire::session).toList())
        .put("recordings", truth.recordings().stream().map(TruthWire::recording).toList())
        .put("webhooks", truth.webhooks().stream().map(TruthWire::webhook).toList())
        .put("requests", truth.requests())
        .map();
  }

  private static Map<String, Object> meeting(Meeting meeting) {
    return Fields.of("meeting_id", meeting.meetingId())
        .put("label", meeting.label())
        .put("room", meeting.room())
        .put("started_at", Json.time(meeting.startedAt()))
        .put("ended_at", meeting.endedAt().map(Json::time))
        .put("max_participants", meeting.maxParticipants())
        .map();
  }

  static Map<String, Object> session(Session session) {
    return Fields.of("session_id", session.sessionId())
        .put("label", session.label())
        .put("room", session.room())
        .put("meeting_id", session.meetingId())
        .put("user_id", session.visitor().userId())
        .put("user_name", session.visitor().userName())
        .put("has_presence", session.visitor().hasPresence())
        .put("joined_at", Json.time(session.joinedAt()))
        .put("left_at", session.leftAt().map(Json::time))
        .put("reason", session.reason().map(reason -> reason.name().toLowerCase(Locale.ROOT)))
        .map();
  }

  private static Map<String, Object> recording(Recording recording) {
    return Fields.of("recording_id", recording.recordingId())
        .put("label", recording.label())
        .put("room", recording.room())
        .put("meeting_id", recording.meetingId())
        .put("type", recording.type())
        .put("status", recording.status().name().toLowerCase(Locale.ROOT))
        .put("started_at", Json.time(recording.startedAt()))
        .put("ended_at", recording.endedAt().map(Json::time))
        .put("lines", recording.lines().size())
        .map();
  }

  static Map<String, Object> webhook(Delivery delivery) {
    return Fields.of("id", delivery.envelope().id())
        .put("type", delivery.envelope().type())
        .put("label", delivery.envelope().label())
        .put("room", delivery.envelope().room())
        .put("session_id", delivery.envelope().sessionId())
        .put("event_at", Json.time(delivery.envelope().eventAt()))
        .put("fate", delivery.fate().name().toLowerCase(Locale.ROOT))
        .put("delayed_ms", delivery.delay().toMillis())
        .put("reordered", delivery.reordered())
        .put("copies", delivery.copies())
        .put("attempts", delivery.attempts().stream().map(TruthWire::attempt).toList())
        .map();
  }

  private static Map<String, Object> attempt(Attempt attempt) {
    return Fields.of("at", Json.time(attempt.at()))
        .put("status", attempt.status())
        .put("error", attempt.error())
        .put("took_ms", attempt.took().toMillis())
        .map();
  }
}

package io.convoke.simulator.control;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.state.Meeting;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.webhook.DeliveryAttempt;
import io.convoke.simulator.webhook.WebhookDelivery;
import java.util.Locale;
import java.util.Map;

/** The simulator's state as JSON. */
final class SimulationTruthJson {

  private SimulationTruthJson() {}

  static Map<String, Object> wire(SimulationTruth simulationTruth) {
    return JsonObjectBuilder.of("seed", simulationTruth.seed())
        .put("at", SimJson.time(simulationTruth.at()))
        .put("forgotten", simulationTruth.forgotten())
        .put(
            "meetings",
            simulationTruth.meetings().stream().map(SimulationTruthJson::meeting).toList())
        .put(
            "sessions",
            simulationTruth.sessions().stream().map(SimulationTruthJson::session).toList())
        .put(
            "recordings",
            simulationTruth.recordings().stream().map(SimulationTruthJson::recording).toList())
        .put(
            "webhooks",
            simulationTruth.webhooks().stream().map(SimulationTruthJson::webhook).toList())
        .put("requests", simulationTruth.requests())
        .map();
  }

  private static Map<String, Object> meeting(Meeting meeting) {
    return JsonObjectBuilder.of("meeting_id", meeting.meetingId())
        .put("label", meeting.label())
        .put("room", meeting.room())
        .put("started_at", SimJson.time(meeting.startedAt()))
        .put("ended_at", meeting.endedAt().map(SimJson::time))
        .put("max_participants", meeting.maxParticipants())
        .map();
  }

  static Map<String, Object> session(RoomSession roomSession) {
    return JsonObjectBuilder.of("session_id", roomSession.sessionId())
        .put("label", roomSession.label())
        .put("room", roomSession.room())
        .put("meeting_id", roomSession.meetingId())
        .put("user_id", roomSession.visitor().userId())
        .put("user_name", roomSession.visitor().userName())
        .put("has_presence", roomSession.visitor().hasPresence())
        .put("joined_at", SimJson.time(roomSession.joinedAt()))
        .put("left_at", roomSession.leftAt().map(SimJson::time))
        .put("reason", roomSession.reason().map(reason -> reason.name().toLowerCase(Locale.ROOT)))
        .map();
  }

  private static Map<String, Object> recording(Recording recording) {
    return JsonObjectBuilder.of("recording_id", recording.recordingId())
        .put("label", recording.label())
        .put("room", recording.room())
        .put("meeting_id", recording.meetingId())
        .put("type", recording.type())
        .put("status", recording.status().name().toLowerCase(Locale.ROOT))
        .put("started_at", SimJson.time(recording.startedAt()))
        .put("ended_at", recording.endedAt().map(SimJson::time))
        .put("lines", recording.lines().size())
        .map();
  }

  static Map<String, Object> webhook(WebhookDelivery webhookDelivery) {
    return JsonObjectBuilder.of("id", webhookDelivery.envelope().id())
        .put("type", webhookDelivery.envelope().type())
        .put("label", webhookDelivery.envelope().label())
        .put("room", webhookDelivery.envelope().room())
        .put("session_id", webhookDelivery.envelope().sessionId())
        .put("event_at", SimJson.time(webhookDelivery.envelope().eventAt()))
        .put("fate", webhookDelivery.end().name().toLowerCase(Locale.ROOT))
        .put("delayed_ms", webhookDelivery.delay().toMillis())
        .put("reordered", webhookDelivery.reordered())
        .put("copies", webhookDelivery.copies())
        .put(
            "attempts",
            webhookDelivery.attempts().stream().map(SimulationTruthJson::attempt).toList())
        .map();
  }

  private static Map<String, Object> attempt(DeliveryAttempt deliveryAttempt) {
    return JsonObjectBuilder.of("at", SimJson.time(deliveryAttempt.at()))
        .put("status", deliveryAttempt.status())
        .put("error", deliveryAttempt.error())
        .put("took_ms", deliveryAttempt.took().toMillis())
        .map();
  }
}

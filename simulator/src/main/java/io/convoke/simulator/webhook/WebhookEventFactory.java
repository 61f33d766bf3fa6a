package io.convoke.simulator.webhook;

import static io.convoke.simulator.webhook.WebhookEvent.seconds;

import io.convoke.simulator.audio.RecordingFiles;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.SimulationEvent;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.SeededRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Converts simulation events to Daily's events, with exactly Daily's keys. */
final class WebhookEventFactory {

  private final SeededRandom seededRandom;
  private final FaultSwitches faultSwitches;

  WebhookEventFactory(SeededRandom seededRandom, FaultSwitches faultSwitches) {
    this.seededRandom = seededRandom;
    this.faultSwitches = faultSwitches;
  }

  /** The event to send; absent if Daily has no such event. */
  Optional<WebhookEvent> of(SimulationEvent event) {
    return switch (event) {
      case SimulationEvent.MeetingStarted e ->
          envelope(
              "meeting.started",
              e,
              Optional.empty(),
              fields()
                  .put("start_ts", seconds(e.meeting().startedAt()))
                  .put("meeting_id", e.meeting().meetingId())
                  .put("room", e.room()));
      case SimulationEvent.MeetingEnded e ->
          envelope(
              "meeting.ended",
              e,
              Optional.empty(),
              fields()
                  .put("start_ts", seconds(e.meeting().startedAt()))
                  .put("end_ts", seconds(e.meeting().endedAt().orElse(e.at())))
                  .put("meeting_id", e.meeting().meetingId())
                  .put("room", e.room()));
      case SimulationEvent.ParticipantJoined e ->
          envelope(
              "participant.joined",
              e,
              Optional.of(e.session().sessionId()),
              person(e, e.session().sessionId(), e.session().visitor(), e.at()));
      case SimulationEvent.ParticipantLeft e ->
          envelope(
              "participant.left",
              e,
              Optional.of(e.session().sessionId()),
              person(e, e.session().sessionId(), e.session().visitor(), e.session().joinedAt())
                  .put("duration", e.session().duration(e.at()).toMillis() / 1000.0));
      case SimulationEvent.LobbyEntered e ->
          envelope(
              "waiting-participant.joined",
              e,
              Optional.of(e.sessionId()),
              person(e, e.sessionId(), e.visitor(), e.at()));
      case SimulationEvent.LobbyLeft e when e.admitted() -> Optional.empty();
      case SimulationEvent.LobbyLeft e ->
          envelope(
              "waiting-participant.left",
              e,
              Optional.of(e.sessionId()),
              person(e, e.sessionId(), e.visitor(), e.since())
                  .put("duration", Duration.between(e.since(), e.at()).toMillis() / 1000.0));
      case SimulationEvent.RecordingStarted e -> recordingStarted(e);
      case SimulationEvent.RecordingFailed e ->
          envelope(
              "recording.error",
              e,
              Optional.empty(),
              fields()
                  .put("action", "cloud-recording-error")
                  .put("error_msg", "the recording could not be written")
                  .put("instance_id", e.instanceId())
                  .put("room_name", e.room())
                  .put("timestamp", Long.toString(e.at().getEpochSecond())));
      case SimulationEvent.RecordingSettled e -> recordingSettled(e);
      case SimulationEvent.LineSpoken e -> Optional.empty();
    };
  }

  private JsonObjectBuilder person(
      SimulationEvent event, String sessionId, Visitor visitor, Instant joinedAt) {
    boolean nameless = faultSwitches.hits(FaultKind.NULL_NAMES, event.room(), event.label());
    return fields()
        .put("joined_at", seconds(joinedAt))
        .put("session_id", sessionId)
        .put("room", event.room())
        .put("user_id", visitor.userId())
        .put("user_name", nameless ? Optional.empty() : visitor.userName())
        .put("owner", visitor.owner())
        .put("networkQualityState", "unknown")
        .putNull("will_eject_at")
        .put(
            "permissions",
            fields()
                .put("hasPresence", visitor.hasPresence())
                .put("canSend", true)
                .put("canReceive", Map.of("base", true))
                .put("canAdmin", visitor.owner())
                .map());
  }

  /** Without the room, which Daily does not tell. */
  private Optional<WebhookEvent> recordingStarted(SimulationEvent.RecordingStarted event) {
    Recording recording = event.recording();
    return envelope(
        "recording.started",
        event,
        Optional.empty(),
        fields()
            .put("recording_id", recording.recordingId())
            .put("action", "start-cloud-recording")
            .put("layout", Map.of("preset", "default"))
            .put("started_by", recording.startedBy())
            .put("instance_id", recording.instanceId())
            .put("start_ts", recording.startedAt().getEpochSecond()));
  }

  private Optional<WebhookEvent> recordingSettled(SimulationEvent.RecordingSettled event) {
    Recording recording = event.recording();
    return switch (recording.status()) {
      case IN_PROGRESS, CANCELED, FAILED -> Optional.empty();
      case FINISHED ->
          recording.duration(event.at()).toSeconds() == 0
              ? Optional.empty()
              : envelope("recording.ready-to-download", event, Optional.empty(), ready(event));
    };
  }

  private static JsonObjectBuilder ready(SimulationEvent.RecordingSettled event) {
    Recording recording = event.recording();
    return fields()
        .put("type", recording.type())
        .put("recording_id", recording.recordingId())
        .put("room_name", recording.room())
        .put("start_ts", recording.startedAt().getEpochSecond())
        .put("status", "finished")
        .put("max_participants", recording.maxParticipants())
        .put("duration", recording.duration(event.at()).toSeconds())
        .put("s3_key", RecordingFiles.key(recording))
        .putNull("share_token")
        .put("tracks", RecordingFiles.tracks(recording));
  }

  private Optional<WebhookEvent> envelope(
      String type, SimulationEvent event, Optional<String> sessionId, JsonObjectBuilder payload) {
    return Optional.of(
        new WebhookEvent(
            seededRandom.id("event " + type, event.label()).toString(),
            type,
            event.room(),
            event.label(),
            sessionId,
            event.at(),
            payload.map()));
  }

  private static JsonObjectBuilder fields() {
    return new JsonObjectBuilder();
  }
}

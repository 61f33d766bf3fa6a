package io.convoke.lab.sim.webhook;

import static io.convoke.lab.sim.webhook.Envelope.seconds;

import io.convoke.lab.sim.audio.RecordingFiles;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.time.Draws;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.Visitor;
import io.convoke.lab.sim.world.WorldEvent;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Turns what happened into Daily's events, with exactly Daily's keys. */
final class Envelopes {

  private final Draws draws;
  private final Faults faults;

  Envelopes(Draws draws, Faults faults) {
    this.draws = draws;
    this.faults = faults;
  }

  /** The event to send; absent for what Daily does not tell. */
  Optional<Envelope> of(WorldEvent event) {
    return switch (event) {
      case WorldEvent.MeetingStarted e ->
          envelope(
              "meeting.started",
              e,
              Optional.empty(),
              fields()
                  .put("start_ts", seconds(e.meeting().startedAt()))
                  .put("meeting_id", e.meeting().meetingId())
                  .put("room", e.room()));
      case WorldEvent.MeetingEnded e ->
          envelope(
              "meeting.ended",
              e,
              Optional.empty(),
              fields()
                  .put("start_ts", seconds(e.meeting().startedAt()))
                  .put("end_ts", seconds(e.meeting().endedAt().orElse(e.at())))
                  .put("meeting_id", e.meeting().meetingId())
                  .put("room", e.room()));
      case WorldEvent.Joined e ->
          envelope(
              "participant.joined",
              e,
              Optional.of(e.session().sessionId()),
              person(e, e.session().sessionId(), e.session().visitor(), e.at()));
      case WorldEvent.Left e ->
          envelope(
              "participant.left",
              e,
              Optional.of(e.session().sessionId()),
              person(e, e.session().sessionId(), e.session().visitor(), e.session().joinedAt())
                  .put("duration", e.session().duration(e.at()).toMillis() / 1000.0));
      case WorldEvent.Arrived e ->
          envelope(
              "waiting-participant.joined",
              e,
              Optional.of(e.sessionId()),
              person(e, e.sessionId(), e.visitor(), e.at()));
      case WorldEvent.Dismissed e ->
          envelope(
              "waiting-participant.left",
              e,
              Optional.of(e.sessionId()),
              person(e, e.sessionId(), e.visitor(), e.at()));
      case WorldEvent.RecordingStarted e -> recordingStarted(e);
      case WorldEvent.RecordingSettled e -> recordingSettled(e);
      case WorldEvent.Spoken e -> Optional.empty();
    };
  }

  private Fields person(WorldEvent event, String sessionId, Visitor visitor, Instant joinedAt) {
    boolean nameless = faults.hits(FaultKind.NULL_NAMES, event.room(), event.label());
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

  private Optional<Envelope> recordingStarted(WorldEvent.RecordingStarted event) {
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
            .put("room_name", recording.room())
            .put("start_ts", recording.startedAt().getEpochSecond()));
  }

  private Optional<Envelope> recordingSettled(WorldEvent.RecordingSettled event) {
    Recording recording = event.recording();
    return switch (recording.status()) {
      case IN_PROGRESS, CANCELED -> Optional.empty();
      case FAILED ->
          envelope(
              "recording.error",
              event,
              Optional.empty(),
              fields()
                  .put("action", "cloud-recording-error")
                  .put("error_msg", "the recording could not be written")
                  .put("instance_id", recording.instanceId())
                  .put("room_name", recording.room())
                  .put("timestamp", event.at().getEpochSecond()));
      case FINISHED ->
          recording.duration(event.at()).toSeconds() == 0
              ? Optional.empty()
              : envelope("recording.ready-to-download", event, Optional.empty(), ready(event));
    };
  }

  private static Fields ready(WorldEvent.RecordingSettled event) {
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

  private Optional<Envelope> envelope(
      String type, WorldEvent event, Optional<String> sessionId, Fields payload) {
    return Optional.of(
        new Envelope(
            draws.id("event " + type, event.label()).toString(),
            type,
            event.room(),
            event.label(),
            sessionId,
            event.at(),
            payload.map()));
  }

  private static Fields fields() {
    return new Fields();
  }
}

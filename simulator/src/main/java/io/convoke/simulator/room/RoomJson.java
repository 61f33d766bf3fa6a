package io.convoke.simulator.room;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.RoomView;
import io.convoke.simulator.state.SimulationEvent;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The JSON of the bot protocol. */
final class RoomJson {

  /** One line of an event stream. */
  record RoomMessage(String name, Map<String, Object> data) {}

  private RoomJson() {}

  static Map<String, Object> person(RoomSession roomSession) {
    return JsonObjectBuilder.of("session_id", roomSession.sessionId())
        .put("user_id", roomSession.visitor().userId())
        .put("user_name", roomSession.visitor().userName())
        .put("owner", roomSession.visitor().owner())
        .put("joined_at", SimJson.time(roomSession.joinedAt()))
        .map();
  }

  static Map<String, Object> snapshot(RoomView view, String sessionId) {
    boolean in = view.has(sessionId);
    return JsonObjectBuilder.of("room", view.room().name())
        .put("session_id", sessionId)
        .put("state", in ? "in_meeting" : "waiting")
        .put("meeting_id", view.meetingId().filter(id -> in))
        .put(
            "participants",
            view.present().stream()
                .filter(s -> in && visible(s, sessionId))
                .map(RoomJson::person)
                .toList())
        .map();
  }

  private static boolean visible(RoomSession roomSession, String sessionId) {
    return roomSession.visitor().hasPresence() || roomSession.sessionId().equals(sessionId);
  }

  /** The message about an event for an admitted session; absent if it gets none. */
  static Optional<RoomMessage> message(SimulationEvent event, String sessionId) {
    return switch (event) {
      case SimulationEvent.ParticipantJoined e ->
          Optional.of(new RoomMessage("participant-joined", person(e.session())))
              .filter(m -> visible(e.session(), sessionId));
      case SimulationEvent.ParticipantLeft e -> left(e, sessionId);
      case SimulationEvent.LineSpoken e ->
          Optional.of(
                  new RoomMessage(
                      "caption",
                      JsonObjectBuilder.of("session_id", e.session().sessionId())
                          .put("user_id", e.session().visitor().userId())
                          .put("user_name", e.session().visitor().userName())
                          .put("text", e.text())
                          .put("at", SimJson.time(e.at()))
                          .map()))
              .filter(m -> visible(e.session(), sessionId));
      case SimulationEvent.RecordingStarted e ->
          Optional.of(
              new RoomMessage("recording-started", recording(e.recording().recordingId(), e)));
      case SimulationEvent.RecordingSettled e ->
          Optional.of(
              new RoomMessage("recording-stopped", recording(e.recording().recordingId(), e)));
      case SimulationEvent.RecordingFailed e -> Optional.empty();
      case SimulationEvent.MeetingStarted e -> Optional.empty();
      case SimulationEvent.MeetingEnded e -> Optional.empty();
      case SimulationEvent.LobbyEntered e -> Optional.empty();
      case SimulationEvent.LobbyLeft e -> Optional.empty();
    };
  }

  private static Optional<RoomMessage> left(
      SimulationEvent.ParticipantLeft event, String sessionId) {
    RoomSession roomSession = event.session();
    LeaveReason reason = roomSession.reason().orElse(LeaveReason.LEFT);
    Map<String, Object> data =
        JsonObjectBuilder.of("session_id", roomSession.sessionId())
            .put("user_id", roomSession.visitor().userId())
            .put("user_name", roomSession.visitor().userName())
            .put("reason", reason.name().toLowerCase(Locale.ROOT))
            .put("at", SimJson.time(event.at()))
            .map();
    if (!roomSession.sessionId().equals(sessionId)) {
      return Optional.of(new RoomMessage("participant-left", data))
          .filter(m -> roomSession.visitor().hasPresence());
    }
    return Optional.of(
        new RoomMessage(
            switch (reason) {
              case LEFT -> "left";
              case DISCONNECTED -> "disconnected";
              case EJECTED -> "ejected";
              case MEETING_ENDED -> "meeting-ended";
            },
            data));
  }

  private static Map<String, Object> recording(String recordingId, SimulationEvent event) {
    return JsonObjectBuilder.of("recording_id", recordingId)
        .put("at", SimJson.time(event.at()))
        .map();
  }
}

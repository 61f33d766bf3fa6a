package io.convoke.lab.sim.room;

import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.world.LeaveReason;
import io.convoke.lab.sim.world.RoomView;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.WorldEvent;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The JSON of the bot protocol. */
final class RoomWire {

  /** One line of an event stream. */
  record Message(String name, Map<String, Object> data) {}

  private RoomWire() {}

  static Map<String, Object> person(Session session) {
    return Fields.of("session_id", session.sessionId())
        .put("user_id", session.visitor().userId())
        .put("user_name", session.visitor().userName())
        .put("owner", session.visitor().owner())
        .put("joined_at", Json.time(session.joinedAt()))
        .map();
  }

  static Map<String, Object> snapshot(RoomView view, String sessionId) {
    boolean in = view.has(sessionId);
    return Fields.of("room", view.room().name())
        .put("session_id", sessionId)
        .put("state", in ? "in_meeting" : "waiting")
        .put("meeting_id", view.meetingId().filter(id -> in))
        .put(
            "participants",
            view.present().stream()
                .filter(s -> in && visible(s, sessionId))
                .map(RoomWire::person)
                .toList())
        .map();
  }

  private static boolean visible(Session session, String sessionId) {
    return session.visitor().hasPresence() || session.sessionId().equals(sessionId);
  }

  /** What a session that is in the meeting is told of an event; absent for nothing. */
  static Optional<Message> message(WorldEvent event, String sessionId) {
    return switch (event) {
      case WorldEvent.Joined e ->
          Optional.of(new Message("participant-joined", person(e.session())))
              .filter(m -> visible(e.session(), sessionId));
      case WorldEvent.Left e -> left(e, sessionId);
      case WorldEvent.Spoken e ->
          Optional.of(
                  new Message(
                      "caption",
                      Fields.of("session_id", e.session().sessionId())
                          .put("user_id", e.session().visitor().userId())
                          .put("user_name", e.session().visitor().userName())
                          .put("text", e.text())
                          .put("at", Json.time(e.at()))
                          .map()))
              .filter(m -> visible(e.session(), sessionId));
      case WorldEvent.RecordingStarted e ->
          Optional.of(new Message("recording-started", recording(e.recording().recordingId(), e)));
      case WorldEvent.RecordingSettled e ->
          Optional.of(new Message("recording-stopped", recording(e.recording().recordingId(), e)));
      case WorldEvent.MeetingStarted e -> Optional.empty();
      case WorldEvent.MeetingEnded e -> Optional.empty();
      case WorldEvent.Arrived e -> Optional.empty();
      case WorldEvent.Dismissed e -> Optional.empty();
    };
  }

  private static Optional<Message> left(WorldEvent.Left event, String sessionId) {
    Session session = event.session();
    LeaveReason reason = session.reason().orElse(LeaveReason.LEFT);
    Map<String, Object> data =
        Fields.of("session_id", session.sessionId())
            .put("user_id", session.visitor().userId())
            .put("user_name", session.visitor().userName())
            .put("reason", reason.name().toLowerCase(Locale.ROOT))
            .put("at", Json.time(event.at()))
            .map();
    if (!session.sessionId().equals(sessionId)) {
      return Optional.of(new Message("participant-left", data))
          .filter(m -> session.visitor().hasPresence());
    }
    return Optional.of(
        new Message(
            switch (reason) {
              case LEFT -> "left";
              case DISCONNECTED -> "disconnected";
              case EJECTED -> "ejected";
              case MEETING_ENDED -> "meeting-ended";
            },
            data));
  }

  private static Map<String, Object> recording(String recordingId, WorldEvent event) {
    return Fields.of("recording_id", recordingId).put("at", Json.time(event.at())).map();
  }
}

package io.convoke.lab.sim.control;

import static io.convoke.lab.sim.control.ControlApi.refusal;
import static io.convoke.lab.sim.control.ControlApi.withBody;

import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.script.Lobbies;
import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.LeaveReason;
import io.convoke.lab.sim.world.Lobby;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.RecordingRequest;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.RoomView;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.Visitor;
import io.convoke.lab.sim.world.World;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Moves people by hand: rooms, joins, words, leaves, the lobby, recordings, the end of a meeting.
 */
final class HandApi {

  private final World world;

  HandApi(World world) {
    this.world = world;
  }

  void register(Web web, Around local) {
    web.route("POST /control/rooms", local, call -> withBody(call, this::room));
    web.route("POST /control/rooms/{name}/join", local, call -> withBody(call, b -> join(call, b)));
    web.route(
        "POST /control/rooms/{name}/leave", local, call -> withBody(call, b -> leave(call, b)));
    web.route("POST /control/rooms/{name}/say", local, call -> withBody(call, b -> say(call, b)));
    web.route(
        "POST /control/rooms/{name}/admit",
        local,
        call -> withBody(call, b -> decide(call, b, true)));
    web.route(
        "POST /control/rooms/{name}/deny",
        local,
        call -> withBody(call, b -> decide(call, b, false)));
    web.route("POST /control/rooms/{name}/end", local, this::end);
    web.route(
        "POST /control/rooms/{name}/recordings/start",
        local,
        call -> withBody(call, b -> record(call, b)));
    web.route("POST /control/rooms/{name}/recordings/stop", local, this::stop);
  }

  private Answer room(JsonNode body) {
    Optional<String> name =
        Json.string(body, "name").filter(n -> n.matches("[A-Za-z0-9_-]{1,128}"));
    Optional<Lobby> lobby = Lobbies.read(Json.string(body, "lobby").orElse("open"));
    if (name.isEmpty() || lobby.isEmpty()) {
      return refusal(400, "a room has a name and a lobby: open, closed, admit 10s or deny 10s");
    }
    RoomRequest wanted =
        new RoomRequest(
            name.get(),
            Json.string(body, "privacy").orElse("public"),
            false,
            Json.map(body.path("config")),
            lobby.get());
    return world.create(wanted).isPresent()
        ? look(name.get())
        : refusal(409, "there is a room named " + name.get() + " already");
  }

  private Answer look(String name) {
    return world
        .look(name)
        .map(view -> Answer.ok(ControlApi.room(view)))
        .orElseGet(() -> noRoom(name));
  }

  private Answer join(Call call, JsonNode body) {
    String name = call.path("name");
    world.ensure(RoomRequest.named(name));
    Visitor visitor =
        new Visitor(
            Json.string(body, "user_id"),
            Json.string(body, "user_name"),
            Json.flag(body, "owner", false),
            !Json.flag(body, "hidden", false));
    return switch (world.join(name, visitor)) {
      case JoinResult.Joined(Session session) ->
          Answer.ok(
              Fields.of("session_id", session.sessionId())
                  .put("meeting_id", session.meetingId())
                  .put("state", "in_meeting")
                  .map());
      case JoinResult.Waiting(String sessionId) ->
          Answer.ok(Fields.of("session_id", sessionId).put("state", "waiting").map());
      case JoinResult.Full() -> refusal(409, "the room is full");
      case JoinResult.NoRoom() -> noRoom(name);
    };
  }

  private Answer leave(Call call, JsonNode body) {
    Optional<LeaveReason> reason =
        Arrays.stream(LeaveReason.values())
            .filter(
                r ->
                    r.name()
                        .toLowerCase(Locale.ROOT)
                        .equals(Json.string(body, "reason").orElse("left")))
            .findFirst();
    return reason.isEmpty()
        ? refusal(400, "reason is left, disconnected, ejected or meeting_ended")
        : forEach(call, body, (room, id) -> world.leave(room, id, reason.get()));
  }

  private Answer say(Call call, JsonNode body) {
    Optional<String> text = Json.string(body, "text");
    return text.isEmpty()
        ? refusal(400, "text is missing")
        : forEach(call, body, (room, id) -> world.say(room, id, text.get()));
  }

  private Answer decide(Call call, JsonNode body, boolean admitted) {
    String name = call.path("name");
    return sessions(
        name,
        view ->
            view.waiting().stream()
                .filter(id -> Json.string(body, "session_id").map(id::equals).orElse(true))
                .toList(),
        (room, id) -> world.decide(room, id, admitted));
  }

  /** Acts on the session that the body names by its id, or on all of the user it names. */
  private Answer forEach(Call call, JsonNode body, BiFunction<String, String, Boolean> action) {
    Optional<String> id = Json.string(body, "session_id");
    Optional<String> userName = Json.string(body, "user_name");
    Optional<String> userId = Json.string(body, "user_id");
    return sessions(
        call.path("name"),
        view ->
            view.present().stream()
                .filter(
                    s ->
                        id.isPresent()
                            ? id.get().equals(s.sessionId())
                            : userId.isPresent()
                                ? userId.equals(s.visitor().userId())
                                : userName.isPresent() && userName.equals(s.visitor().userName()))
                .map(Session::sessionId)
                .toList(),
        action);
  }

  private Answer sessions(
      String name,
      Function<RoomView, List<String>> chosen,
      BiFunction<String, String, Boolean> action) {
    Optional<RoomView> view = world.look(name);
    if (view.isEmpty()) {
      return noRoom(name);
    }
    List<String> done =
        chosen.apply(view.get()).stream().filter(id -> action.apply(name, id)).toList();
    return done.isEmpty()
        ? refusal(404, "no such participant in room " + name)
        : Answer.ok(Fields.of("session_ids", done).map());
  }

  private Answer end(Call call) {
    return world.endMeeting(call.path("name"))
        ? Answer.ok(Map.of())
        : refusal(404, "no meeting runs in room " + call.path("name"));
  }

  private Answer record(Call call, JsonNode body) {
    Optional<Recording.Outcome> outcome =
        Arrays.stream(Recording.Outcome.values())
            .filter(
                o ->
                    o.name()
                        .toLowerCase(Locale.ROOT)
                        .equals(Json.string(body, "outcome").orElse("finished")))
            .findFirst();
    if (outcome.isEmpty()) {
      return refusal(400, "outcome is finished, canceled or error");
    }
    RecordingRequest wanted =
        RecordingRequest.cloud(call.path("name"))
            .ofType(Json.string(body, "type").orElse("cloud"))
            .endingWith(outcome.get());
    return world
        .startRecording(wanted)
        .map(r -> Answer.ok(Fields.of("recording_id", r.recordingId()).map()))
        .orElseGet(() -> refusal(409, "no meeting runs there, or it is being recorded already"));
  }

  private Answer stop(Call call) {
    return world.stopRecording(call.path("name"), Optional.empty()) > 0
        ? Answer.ok(Map.of())
        : refusal(404, "nothing is being recorded in room " + call.path("name"));
  }

  private static Answer noRoom(String name) {
    return refusal(404, "there is no room named " + name);
  }
}

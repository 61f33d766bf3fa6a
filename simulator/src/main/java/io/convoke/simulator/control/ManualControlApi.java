package io.convoke.simulator.control;

import static io.convoke.simulator.control.ControlApi.refusal;
import static io.convoke.simulator.control.ControlApi.withBody;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.script.LobbyFormat;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.RoomView;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.Visitor;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Changes the simulation by hand: rooms, joins, spoken lines, leaves, the lobby, recordings, the
 * end of a meeting.
 */
final class ManualControlApi {

  private final SimulationState simulationState;

  ManualControlApi(SimulationState simulationState) {
    this.simulationState = simulationState;
  }

  void register(SimHttpServer simHttpServer, RequestFilter local) {
    simHttpServer.route(
        "POST /control/rooms", local, simRequest -> withBody(simRequest, this::room));
    simHttpServer.route(
        "POST /control/rooms/{name}/join",
        local,
        simRequest -> withBody(simRequest, b -> join(simRequest, b)));
    simHttpServer.route(
        "POST /control/rooms/{name}/leave",
        local,
        simRequest -> withBody(simRequest, b -> leave(simRequest, b)));
    simHttpServer.route(
        "POST /control/rooms/{name}/say",
        local,
        simRequest -> withBody(simRequest, b -> say(simRequest, b)));
    simHttpServer.route(
        "POST /control/rooms/{name}/admit",
        local,
        simRequest -> withBody(simRequest, b -> decide(simRequest, b, true)));
    simHttpServer.route(
        "POST /control/rooms/{name}/deny",
        local,
        simRequest -> withBody(simRequest, b -> decide(simRequest, b, false)));
    simHttpServer.route("POST /control/rooms/{name}/end", local, this::end);
    simHttpServer.route(
        "POST /control/rooms/{name}/recordings/start",
        local,
        simRequest -> withBody(simRequest, b -> record(simRequest, b)));
    simHttpServer.route("POST /control/rooms/{name}/recordings/stop", local, this::stop);
    simHttpServer.route("POST /control/rooms/{name}/recordings/fail", local, this::failStart);
  }

  private SimResponse room(JsonNode body) {
    Optional<String> name =
        SimJson.string(body, "name").filter(n -> n.matches("[A-Za-z0-9_-]{1,128}"));
    Optional<Lobby> lobby = LobbyFormat.read(SimJson.string(body, "lobby").orElse("open"));
    if (name.isEmpty() || lobby.isEmpty()) {
      return refusal(400, "a room has a name and a lobby: open, closed, admit 10s or deny 10s");
    }
    RoomRequest wanted =
        new RoomRequest(
            name.get(),
            SimJson.string(body, "privacy").orElse("public"),
            false,
            SimJson.map(body.path("config")),
            lobby.get());
    return simulationState.create(wanted).isPresent()
        ? showRoom(name.get())
        : refusal(409, "there is a room named " + name.get() + " already");
  }

  private SimResponse showRoom(String name) {
    return simulationState
        .roomViews(name)
        .map(view -> SimResponse.ok(ControlApi.room(view)))
        .orElseGet(() -> noRoom(name));
  }

  private SimResponse join(SimRequest simRequest, JsonNode body) {
    String name = simRequest.path("name");
    simulationState.ensure(RoomRequest.named(name));
    Visitor visitor =
        new Visitor(
            SimJson.string(body, "user_id"),
            SimJson.string(body, "user_name"),
            SimJson.flag(body, "owner", false),
            !SimJson.flag(body, "hidden", false));
    return switch (simulationState.join(name, visitor)) {
      case JoinResult.JoinedMeeting(RoomSession roomSession) ->
          SimResponse.ok(
              JsonObjectBuilder.of("session_id", roomSession.sessionId())
                  .put("meeting_id", roomSession.meetingId())
                  .put("state", "in_meeting")
                  .map());
      case JoinResult.WaitingInLobby(String sessionId) ->
          SimResponse.ok(
              JsonObjectBuilder.of("session_id", sessionId).put("state", "waiting").map());
      case JoinResult.RoomFull() -> refusal(409, "the room is full");
      case JoinResult.RoomNotFound() -> noRoom(name);
    };
  }

  private SimResponse leave(SimRequest simRequest, JsonNode body) {
    Optional<LeaveReason> reason =
        Arrays.stream(LeaveReason.values())
            .filter(
                r ->
                    r.name()
                        .toLowerCase(Locale.ROOT)
                        .equals(SimJson.string(body, "reason").orElse("left")))
            .findFirst();
    return reason.isEmpty()
        ? refusal(400, "reason is left, disconnected, ejected or meeting_ended")
        : forEach(simRequest, body, (room, id) -> simulationState.leave(room, id, reason.get()));
  }

  private SimResponse say(SimRequest simRequest, JsonNode body) {
    Optional<String> text = SimJson.string(body, "text");
    return text.isEmpty()
        ? refusal(400, "text is missing")
        : forEach(simRequest, body, (room, id) -> simulationState.say(room, id, text.get()));
  }

  private SimResponse decide(SimRequest simRequest, JsonNode body, boolean admitted) {
    String name = simRequest.path("name");
    return sessions(
        name,
        view ->
            view.waiting().stream()
                .filter(id -> SimJson.string(body, "session_id").map(id::equals).orElse(true))
                .toList(),
        (room, id) -> simulationState.decide(room, id, admitted));
  }

  /** Acts on the session that the body names by its id, or on all of the user it names. */
  private SimResponse forEach(
      SimRequest simRequest, JsonNode body, BiFunction<String, String, Boolean> action) {
    Optional<String> id = SimJson.string(body, "session_id");
    Optional<String> userName = SimJson.string(body, "user_name");
    Optional<String> userId = SimJson.string(body, "user_id");
    return sessions(
        simRequest.path("name"),
        view ->
            view.present().stream()
                .filter(
                    s ->
                        id.isPresent()
                            ? id.get().equals(s.sessionId())
                            : userId.isPresent()
                                ? userId.equals(s.visitor().userId())
                                : userName.isPresent() && userName.equals(s.visitor().userName()))
                .map(RoomSession::sessionId)
                .toList(),
        action);
  }

  private SimResponse sessions(
      String name,
      Function<RoomView, List<String>> chosen,
      BiFunction<String, String, Boolean> action) {
    Optional<RoomView> view = simulationState.roomViews(name);
    if (view.isEmpty()) {
      return noRoom(name);
    }
    List<String> done =
        chosen.apply(view.get()).stream().filter(id -> action.apply(name, id)).toList();
    return done.isEmpty()
        ? refusal(404, "no such participant in room " + name)
        : SimResponse.ok(JsonObjectBuilder.of("session_ids", done).map());
  }

  private SimResponse end(SimRequest simRequest) {
    return simulationState.endMeeting(simRequest.path("name"))
        ? SimResponse.ok(Map.of())
        : refusal(404, "no meeting runs in room " + simRequest.path("name"));
  }

  private SimResponse record(SimRequest simRequest, JsonNode body) {
    Optional<Recording.RecordingOutcome> outcome =
        Arrays.stream(Recording.RecordingOutcome.values())
            .filter(
                o ->
                    o.name()
                        .toLowerCase(Locale.ROOT)
                        .equals(SimJson.string(body, "outcome").orElse("finished")))
            .findFirst();
    if (outcome.isEmpty()) {
      return refusal(400, "outcome is finished, finished_after_error, canceled or error");
    }
    RecordingRequest wanted =
        RecordingRequest.cloud(simRequest.path("name"))
            .ofType(SimJson.string(body, "type").orElse("cloud"))
            .endingWith(outcome.get());
    return simulationState
        .startRecording(wanted)
        .map(r -> SimResponse.ok(JsonObjectBuilder.of("recording_id", r.recordingId()).map()))
        .orElseGet(() -> refusal(409, "no meeting runs there, or it is being recorded already"));
  }

  private SimResponse stop(SimRequest simRequest) {
    return simulationState.stopRecording(simRequest.path("name"), Optional.empty()) > 0
        ? SimResponse.ok(Map.of())
        : refusal(404, "nothing is being recorded in room " + simRequest.path("name"));
  }

  private SimResponse failStart(SimRequest simRequest) {
    String name = simRequest.path("name");
    return simulationState.failRecordingStart(name) ? SimResponse.ok(Map.of()) : noRoom(name);
  }

  private static SimResponse noRoom(String name) {
    return refusal(404, "there is no room named " + name);
  }
}

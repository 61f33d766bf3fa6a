package io.convoke.simulator.room;

import io.convoke.simulator.daily.MeetingTokenCodec;
import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.Room;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.RoomView;
import io.convoke.simulator.state.SimulationEvent;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.SimulationClock;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Join, listen, say, leave: all a bot needs is the room's address. */
public final class RoomProtocol implements AutoCloseable {

  private final SimulationState simulationState;
  private final SimulationClock time;
  private final MeetingTokenCodec meetingTokenCodec;
  private final Supplier<String> baseUrl;
  private final boolean openRooms;
  private final RoomFeeds roomFeeds = new RoomFeeds();
  private final VanishedBotDetector vanishedBotDetector;

  /**
   * Prepares the protocol.
   *
   * @param openRooms whether joining makes a room that does not exist
   */
  public RoomProtocol(
      SimulationState simulationState,
      SimulationClock time,
      SimulationTimings simulationTimings,
      MeetingTokenCodec meetingTokenCodec,
      boolean openRooms,
      Supplier<String> baseUrl) {
    this.simulationState = simulationState;
    this.time = time;
    this.meetingTokenCodec = meetingTokenCodec;
    this.openRooms = openRooms;
    this.baseUrl = baseUrl;
    this.vanishedBotDetector = new VanishedBotDetector(simulationState, time, simulationTimings);
    simulationState.subscribe(roomFeeds);
    simulationState.subscribe(this::ended);
  }

  private void ended(SimulationEvent event) {
    if (event instanceof SimulationEvent.ParticipantLeft participantLeft) {
      vanishedBotDetector.ended(participantLeft.session().sessionId());
    } else if (event instanceof SimulationEvent.LobbyLeft lobbyLeft && !lobbyLeft.admitted()) {
      vanishedBotDetector.ended(lobbyLeft.sessionId());
    }
  }

  /** Adds the routes. */
  public void register(SimHttpServer simHttpServer) {
    RequestFilter open = (simRequest, requestHandler) -> requestHandler.handle(simRequest);
    simHttpServer.route("GET /rooms/{name}", open, this::describe);
    simHttpServer.route("POST /rooms/{name}/join", open, this::join);
    simHttpServer.route("POST /rooms/{name}/say", open, this::say);
    simHttpServer.route("POST /rooms/{name}/leave", open, this::leave);
    simHttpServer.stream(
        "/rooms/{name}/events", new RoomStream(simulationState, roomFeeds, vanishedBotDetector));
  }

  private SimResponse describe(SimRequest simRequest) {
    Optional<RoomView> view = simulationState.roomViews(simRequest.path("name"));
    return view.map(
            v ->
                SimResponse.ok(
                    JsonObjectBuilder.of("room", v.room().name())
                        .put("url", url(v.room().name()))
                        .put("meeting_id", v.meetingId())
                        .put("participants", v.present().size())
                        .put("waiting", v.waiting().size())
                        .map()))
        .orElseGet(() -> JoinRefusals.noRoom(simRequest.path("name")));
  }

  private SimResponse join(SimRequest simRequest) {
    String name = simRequest.path("name");
    Optional<JsonNode> body = simRequest.json();
    if (body.isEmpty()) {
      return JoinRefusals.malformed();
    }
    if (openRooms) {
      simulationState.ensure(RoomRequest.named(name));
    }
    Optional<Room> room = simulationState.room(name);
    if (room.isEmpty()) {
      return JoinRefusals.noRoom(name);
    }
    Optional<String> token = SimJson.string(body.get(), "token");
    Optional<JsonNode> claims = token.flatMap(text -> meetingTokenCodec.read(text, time.instant()));
    boolean foreign =
        claims.flatMap(c -> SimJson.string(c, "room_name")).map(n -> !n.equals(name)).orElse(false);
    if (token.isPresent() && (claims.isEmpty() || foreign)) {
      return JoinRefusals.token("the token is not valid for this room");
    }
    if (claims.isEmpty() && room.get().privacy().equals("private")) {
      return JoinRefusals.token("the room is private and asks for a token");
    }
    return switch (simulationState.join(name, visitor(body.get(), claims))) {
      case JoinResult.JoinedMeeting(RoomSession roomSession) ->
          joined(name, roomSession.sessionId(), "in_meeting", Optional.of(roomSession.meetingId()));
      case JoinResult.WaitingInLobby(String sessionId) ->
          joined(name, sessionId, "waiting", Optional.empty());
      case JoinResult.RoomFull() -> JoinRefusals.full();
      case JoinResult.RoomNotFound() -> JoinRefusals.noRoom(name);
    };
  }

  private static Visitor visitor(JsonNode body, Optional<JsonNode> claims) {
    return new Visitor(
        claims.flatMap(c -> SimJson.string(c, "user_id")).or(() -> SimJson.string(body, "user_id")),
        claims
            .flatMap(c -> SimJson.string(c, "user_name"))
            .or(() -> SimJson.string(body, "user_name")),
        claims.map(c -> SimJson.flag(c, "is_owner", false)).orElse(false),
        !SimJson.flag(body, "hidden", false));
  }

  private SimResponse joined(
      String room, String sessionId, String state, Optional<String> meetingId) {
    vanishedBotDetector.joined(room, sessionId);
    return SimResponse.ok(
        JsonObjectBuilder.of("session_id", sessionId)
            .put("state", state)
            .put("room", room)
            .put("meeting_id", meetingId)
            .put("events_url", url(room) + "/events?session_id=" + sessionId)
            .put("say_url", url(room) + "/say")
            .put("leave_url", url(room) + "/leave")
            .map());
  }

  private String url(String room) {
    return baseUrl.get() + "/rooms/" + room;
  }

  private SimResponse say(SimRequest simRequest) {
    Optional<JsonNode> body = simRequest.json();
    if (body.isEmpty()) {
      return JoinRefusals.malformed();
    }
    String sessionId = SimJson.string(body.get(), "session_id").orElse("");
    String text = SimJson.string(body.get(), "text").orElse("");
    return simulationState.say(simRequest.path("name"), sessionId, text)
        ? SimResponse.ok(Map.of())
        : JoinRefusals.noSession();
  }

  private SimResponse leave(SimRequest simRequest) {
    Optional<JsonNode> body = simRequest.json();
    if (body.isEmpty()) {
      return JoinRefusals.malformed();
    }
    String sessionId = SimJson.string(body.get(), "session_id").orElse("");
    return simulationState.leave(simRequest.path("name"), sessionId, LeaveReason.LEFT)
        ? SimResponse.ok(Map.of())
        : JoinRefusals.noSession();
  }

  @Override
  public void close() {
    roomFeeds.closeAll();
  }
}

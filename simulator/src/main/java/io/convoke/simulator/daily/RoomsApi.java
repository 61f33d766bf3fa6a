package io.convoke.simulator.daily;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.Room;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.SimulationState;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** Rooms: list, create, get, change, delete. */
final class RoomsApi {

  private static final Set<String> PRIVACY = Set.of("public", "private");
  private static final Set<String> RECORDING =
      Set.of("cloud", "cloud-audio-only", "raw-tracks", "local");

  private final SimulationState simulationState;
  private final UnaryOperator<String> roomUrl;

  /**
   * @param roomUrl from a room's name to the address that bots join at
   */
  RoomsApi(SimulationState simulationState, UnaryOperator<String> roomUrl) {
    this.simulationState = simulationState;
    this.roomUrl = roomUrl;
  }

  void register(SimHttpServer simHttpServer, RequestFilter guard) {
    simHttpServer.route("GET /v1/rooms", guard, this::list);
    simHttpServer.route("POST /v1/rooms", guard, this::create);
    simHttpServer.route("GET /v1/rooms/{name}", guard, this::get);
    simHttpServer.route("POST /v1/rooms/{name}", guard, this::update);
    simHttpServer.route("DELETE /v1/rooms/{name}", guard, this::delete);
  }

  private SimResponse list(SimRequest simRequest) {
    return DailyPaging.answer(simRequest, simulationState.rooms(), Room::id, this::wire);
  }

  private SimResponse get(SimRequest simRequest) {
    return simulationState
        .room(simRequest.path("name"))
        .map(room -> SimResponse.ok(wire(room)))
        .orElseGet(() -> none(simRequest));
  }

  private SimResponse create(SimRequest simRequest) {
    Optional<JsonNode> body = simRequest.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    JsonNode wanted = body.get();
    String name =
        SimJson.string(wanted, "name")
            .orElseGet(() -> UUID.randomUUID().toString().replace("-", "").substring(0, 20));
    Optional<String> fault = fault(wanted);
    if (!name.matches("[A-Za-z0-9_-]{1,128}")) {
      return DailyError.INVALID_REQUEST.answer(
          "name may hold letters, digits, dash and underscore");
    }
    if (fault.isPresent()) {
      return DailyError.INVALID_REQUEST.answer(fault.get());
    }
    Map<String, Object> config = SimJson.map(wanted.path("properties"));
    Lobby lobby =
        Boolean.TRUE.equals(config.get("enable_knocking"))
            ? new Lobby.ClosedLobby()
            : new Lobby.OpenLobby();
    RoomRequest request =
        new RoomRequest(
            name, SimJson.string(wanted, "privacy").orElse("public"), true, config, lobby);
    return simulationState
        .create(request)
        .map(room -> SimResponse.ok(wire(room)))
        .orElseGet(
            () -> DailyError.INVALID_REQUEST.answer("a room named " + name + " already exists"));
  }

  private SimResponse update(SimRequest simRequest) {
    Optional<JsonNode> body = simRequest.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    Optional<String> fault = fault(body.get());
    if (fault.isPresent()) {
      return DailyError.INVALID_REQUEST.answer(fault.get());
    }
    return simulationState
        .update(
            simRequest.path("name"),
            SimJson.string(body.get(), "privacy"),
            SimJson.map(body.get().path("properties")))
        .map(room -> SimResponse.ok(wire(room)))
        .orElseGet(() -> none(simRequest));
  }

  private SimResponse delete(SimRequest simRequest) {
    String name = simRequest.path("name");
    return simulationState.delete(name)
        ? SimResponse.ok(JsonObjectBuilder.of("deleted", true).put("name", name).map())
        : none(simRequest);
  }

  /** What is wrong with a room's settings, if anything. */
  private static Optional<String> fault(JsonNode wanted) {
    JsonNode properties = wanted.path("properties");
    if (wanted.has("privacy")
        && SimJson.string(wanted, "privacy").filter(PRIVACY::contains).isEmpty()) {
      return Optional.of("privacy must be public or private");
    }
    if (!properties.isMissingNode() && !properties.isObject()) {
      return Optional.of("properties must be an object");
    }
    if (properties.has("enable_recording")
        && SimJson.string(properties, "enable_recording").filter(RECORDING::contains).isEmpty()) {
      return Optional.of("enable_recording must be cloud, cloud-audio-only, raw-tracks or local");
    }
    if (properties.has("max_participants") && !properties.path("max_participants").isInt()) {
      return Optional.of("max_participants must be an integer");
    }
    return Optional.empty();
  }

  private static SimResponse none(SimRequest simRequest) {
    return DailyError.NOT_FOUND.answer("no room named " + simRequest.path("name"));
  }

  private Map<String, Object> wire(Room room) {
    return JsonObjectBuilder.of("id", room.id())
        .put("name", room.name())
        .put("api_created", room.apiCreated())
        .put("privacy", room.privacy())
        .put("url", roomUrl.apply(room.name()))
        .put("created_at", SimJson.time(room.createdAt()))
        .put("config", room.config())
        .map();
  }
}

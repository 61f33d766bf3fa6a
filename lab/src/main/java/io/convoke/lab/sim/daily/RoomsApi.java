package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.world.Lobby;
import io.convoke.lab.sim.world.Room;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.World;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** Rooms: list, create, look at, change, delete. */
final class RoomsApi {

  private static final Set<String> PRIVACY = Set.of("public", "private");
  private static final Set<String> RECORDING =
      Set.of("cloud", "cloud-audio-only", "raw-tracks", "local");

  private final World world;
  private final UnaryOperator<String> roomUrl;

  /**
   * @param roomUrl from a room's name to the address that bots join at
   */
  RoomsApi(World world, UnaryOperator<String> roomUrl) {
    this.world = world;
    this.roomUrl = roomUrl;
  }

  void register(Web web, Around guard) {
    web.route("GET /v1/rooms", guard, this::list);
    web.route("POST /v1/rooms", guard, this::create);
    web.route("GET /v1/rooms/{name}", guard, this::get);
    web.route("POST /v1/rooms/{name}", guard, this::update);
    web.route("DELETE /v1/rooms/{name}", guard, this::delete);
  }

  private Answer list(Call call) {
    return Pages.answer(call, world.rooms(), Room::id, this::wire);
  }

  private Answer get(Call call) {
    return world
        .room(call.path("name"))
        .map(room -> Answer.ok(wire(room)))
        .orElseGet(() -> none(call));
  }

  private Answer create(Call call) {
    Optional<JsonNode> body = call.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    JsonNode wanted = body.get();
    String name =
        Json.string(wanted, "name")
            .orElseGet(() -> UUID.randomUUID().toString().replace("-", "").substring(0, 20));
    Optional<String> fault = fault(wanted);
    if (!name.matches("[A-Za-z0-9_-]{1,128}")) {
      return DailyError.INVALID_REQUEST.answer(
          "name may hold letters, digits, dash and underscore");
    }
    if (fault.isPresent()) {
      return DailyError.INVALID_REQUEST.answer(fault.get());
    }
    Map<String, Object> config = Json.map(wanted.path("properties"));
    Lobby lobby =
        Boolean.TRUE.equals(config.get("enable_knocking")) ? new Lobby.Closed() : new Lobby.Open();
    RoomRequest request =
        new RoomRequest(name, Json.string(wanted, "privacy").orElse("public"), true, config, lobby);
    return world
        .create(request)
        .map(room -> Answer.ok(wire(room)))
        .orElseGet(
            () -> DailyError.INVALID_REQUEST.answer("a room named " + name + " already exists"));
  }

  private Answer update(Call call) {
    Optional<JsonNode> body = call.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    Optional<String> fault = fault(body.get());
    if (fault.isPresent()) {
      return DailyError.INVALID_REQUEST.answer(fault.get());
    }
    return world
        .update(
            call.path("name"),
            Json.string(body.get(), "privacy"),
            Json.map(body.get().path("properties")))
        .map(room -> Answer.ok(wire(room)))
        .orElseGet(() -> none(call));
  }

  private Answer delete(Call call) {
    String name = call.path("name");
    return world.delete(name)
        ? Answer.ok(Fields.of("deleted", true).put("name", name).map())
        : none(call);
  }

  /** What is wrong with a room's settings, if anything. */
  private static Optional<String> fault(JsonNode wanted) {
    JsonNode properties = wanted.path("properties");
    if (wanted.has("privacy")
        && Json.string(wanted, "privacy").filter(PRIVACY::contains).isEmpty()) {
      return Optional.of("privacy must be public or private");
    }
    if (!properties.isMissingNode() && !properties.isObject()) {
      return Optional.of("properties must be an object");
    }
    if (properties.has("enable_recording")
        && Json.string(properties, "enable_recording").filter(RECORDING::contains).isEmpty()) {
      return Optional.of("enable_recording must be cloud, cloud-audio-only, raw-tracks or local");
    }
    if (properties.has("max_participants") && !properties.path("max_participants").isInt()) {
      return Optional.of("max_participants must be an integer");
    }
    return Optional.empty();
  }

  private static Answer none(Call call) {
    return DailyError.NOT_FOUND.answer("no room named " + call.path("name"));
  }

  private Map<String, Object> wire(Room room) {
    return Fields.of("id", room.id())
        .put("name", room.name())
        .put("api_created", room.apiCreated())
        .put("privacy", room.privacy())
        .put("url", roomUrl.apply(room.name()))
        .put("created_at", Json.time(room.createdAt()))
        .put("config", room.config())
        .map();
  }
}

package io.convoke.lab.sim.room;

import io.convoke.lab.sim.daily.Tokens;
import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.LeaveReason;
import io.convoke.lab.sim.world.Room;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.RoomView;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.Timings;
import io.convoke.lab.sim.world.Visitor;
import io.convoke.lab.sim.world.World;
import io.convoke.lab.sim.world.WorldEvent;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Join, listen, say, leave: all a bot needs is the room's address. */
public final class RoomProtocol implements AutoCloseable {

  private final World world;
  private final SimTime time;
  private final Tokens tokens;
  private final Supplier<String> baseUrl;
  private final boolean openRooms;
  private final Feeds feeds = new Feeds();
  private final Connections connections;

  /**
   * Prepares the protocol.
   *
   * @param openRooms whether joining makes a room that does not exist
   */
  public RoomProtocol(
      World world,
      SimTime time,
      Timings timings,
      Tokens tokens,
      boolean openRooms,
      Supplier<String> baseUrl) {
    this.world = world;
    this.time = time;
    this.tokens = tokens;
    this.openRooms = openRooms;
    this.baseUrl = baseUrl;
    this.connections = new Connections(world, time, timings);
    world.subscribe(feeds);
    world.subscribe(this::ended);
  }

  private void ended(WorldEvent event) {
    if (event instanceof WorldEvent.Left left) {
      connections.ended(left.session().sessionId());
    } else if (event instanceof WorldEvent.Dismissed dismissed && !dismissed.admitted()) {
      connections.ended(dismissed.sessionId());
    }
  }

  /** Adds the routes. */
  public void register(Web web) {
    Around open = (call, handler) -> handler.handle(call);
    web.route("GET /rooms/{name}", open, this::describe);
    web.route("POST /rooms/{name}/join", open, this::join);
    web.route("POST /rooms/{name}/say", open, this::say);
    web.route("POST /rooms/{name}/leave", open, this::leave);
    web.stream("/rooms/{name}/events", new RoomStream(world, feeds, connections));
  }

  private Answer describe(Call call) {
    Optional<RoomView> view = world.look(call.path("name"));
    return view.map(
            v ->
                Answer.ok(
                    Fields.of("room", v.room().name())
                        .put("url", url(v.room().name()))
                        .put("meeting_id", v.meetingId())
                        .put("participants", v.present().size())
                        .put("waiting", v.waiting().size())
                        .map()))
        .orElseGet(() -> Refusals.noRoom(call.path("name")));
  }

  private Answer join(Call call) {
    String name = call.path("name");
    Optional<JsonNode> body = call.json();
    if (body.isEmpty()) {
      return Refusals.malformed();
    }
    if (openRooms) {
      world.ensure(RoomRequest.named(name));
    }
    Optional<Room> room = world.room(name);
    if (room.isEmpty()) {
      return Refusals.noRoom(name);
    }
    Optional<String> token = Json.string(body.get(), "token");
    Optional<JsonNode> claims = token.flatMap(text -> tokens.read(text, time.instant()));
    boolean foreign =
        claims.flatMap(c -> Json.string(c, "room_name")).map(n -> !n.equals(name)).orElse(false);
    if (token.isPresent() && (claims.isEmpty() || foreign)) {
      return Refusals.token("the token is not valid for this room");
    }
    if (claims.isEmpty() && room.get().privacy().equals("private")) {
      return Refusals.token("the room is private and asks for a token");
    }
    return switch (world.join(name, visitor(body.get(), claims))) {
      case JoinResult.Joined(Session session) ->
          joined(name, session.sessionId(), "in_meeting", Optional.of(session.meetingId()));
      case JoinResult.Waiting(String sessionId) ->
          joined(name, sessionId, "waiting", Optional.empty());
      case JoinResult.Full() -> Refusals.full();
      case JoinResult.NoRoom() -> Refusals.noRoom(name);
    };
  }

  private static Visitor visitor(JsonNode body, Optional<JsonNode> claims) {
    return new Visitor(
        claims.flatMap(c -> Json.string(c, "user_id")).or(() -> Json.string(body, "user_id")),
        claims.flatMap(c -> Json.string(c, "user_name")).or(() -> Json.string(body, "user_name")),
        claims.map(c -> Json.flag(c, "is_owner", false)).orElse(false),
        !Json.flag(body, "hidden", false));
  }

  private Answer joined(String room, String sessionId, String state, Optional<String> meetingId) {
    connections.joined(room, sessionId);
    return Answer.ok(
        Fields.of("session_id", sessionId)
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

  private Answer say(Call call) {
    Optional<JsonNode> body = call.json();
    if (body.isEmpty()) {
      return Refusals.malformed();
    }
    String sessionId = Json.string(body.get(), "session_id").orElse("");
    String text = Json.string(body.get(), "text").orElse("");
    return world.say(call.path("name"), sessionId, text)
        ? Answer.ok(Map.of())
        : Refusals.noSession();
  }

  private Answer leave(Call call) {
    Optional<JsonNode> body = call.json();
    if (body.isEmpty()) {
      return Refusals.malformed();
    }
    String sessionId = Json.string(body.get(), "session_id").orElse("");
    return world.leave(call.path("name"), sessionId, LeaveReason.LEFT)
        ? Answer.ok(Map.of())
        : Refusals.noSession();
  }

  @Override
  public void close() {
    feeds.closeAll();
  }
}

package io.convoke.server.rooms;

import io.convoke.engine.json.Json;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.rooms.RoomClaims.DisplacedMeetings;
import io.convoke.server.rooms.RoomClaims.RoomClaimPosition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * {@code /rooms}: users see their rooms and their teams', administrators assign, move and release
 * them.
 */
public final class RoomEndpoints {
  private static final Schema CLAIM =
      Schema.object()
          .required("platform", Schema.text())
          .required("room", Schema.text())
          .required("user_id", Schema.integer().nullable().describe("null: a team's."))
          .optional("team_id", Schema.integer())
          .required("claimed_at", Schema.instant())
          .optional("track", Schema.bool().describe("true: every visit to the room is tracked."))
          .named("RoomClaim");
  private static final Schema PLATFORM =
      Schema.oneOf("daily", "janus").describe("A platform whose rooms have owners.");
  private static final Schema ROOM =
      Schema.printable(1, 255).describe("A room's name, or a prefix that ends with *.");

  private final RoomClaims claims;
  private final DisplacedMeetings displaced;

  /** Serves these claims; meetings in rooms that change hands are ended by {@code displaced}. */
  public RoomEndpoints(RoomClaims claims, DisplacedMeetings displaced) {
    this.claims = claims;
    this.displaced = displaced;
  }

  private record RoomRuleRequest(boolean track) {}

  private record AssignRequest(
      Optional<Long> userId, Optional<Long> teamId, Optional<Boolean> track) {
    RoomOwner owner() {
      if (userId.isPresent() == teamId.isPresent()) {
        throw Problem.badRequest("user_id", "is required, or team_id instead");
      }
      return userId
          .<RoomOwner>map(RoomOwner.RoomUser::new)
          .orElseGet(() -> new RoomOwner.RoomTeam(teamId.orElseThrow()));
    }
  }

  /** The endpoints under {@code /rooms}. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/rooms")
            .id("listRooms")
            .tag("rooms")
            .summary("Rooms that belong to a user or a team, by platform and name.")
            .description(
                "Rooms of platforms whose API key opens every room of the account. Users see their"
                    + " own and their teams', admins all.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .paged()
            .answers(200, Schema.slice(CLAIM))
            .handle(this::list),
        Endpoint.put("/rooms/{platform}/{room}")
            .id("assignRoom")
            .tag("rooms")
            .summary("Assign a room, or the rooms of a prefix, to a user or a team, or move it.")
            .description(
                "Takes user_id or team_id; track as PATCH does. Meetings of others in the room end: tracking stops, bots are asked to leave."
                    + " Recordings and participants from before stay with their meetings.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.ADMIN)
            .path("platform", PLATFORM)
            .path("room", ROOM)
            .body(
                Schema.object()
                    .optional("user_id", Schema.id())
                    .optional("team_id", Schema.id())
                    .optional("track", Schema.bool())
                    .example(Json.read("{\"user_id\": 7}")))
            .answers(200, CLAIM)
            .handle(this::assign),
        Endpoint.patch("/rooms/{platform}/{room}")
            .id("trackRoom")
            .tag("rooms")
            .summary("Track every visit to a room, or to the rooms of a prefix, or no longer.")
            .description(
                "For its user, and admins. A join begins a tracked meeting of the user where none"
                    + " is live; the next visit after its end begins another one.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .operators(OperatorRole.ADMIN)
            .path("platform", PLATFORM)
            .path("room", ROOM)
            .body(Schema.object().required("track", Schema.bool()))
            .answers(200, CLAIM)
            .handle(this::track),
        Endpoint.delete("/rooms/{platform}/{room}")
            .id("releaseRoom")
            .tag("rooms")
            .summary("Release a room, or the rooms of a prefix.")
            .description(
                "Meetings in the room end. Its next owner does not see recordings from before.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.ADMIN)
            .path("platform", PLATFORM)
            .path("room", ROOM)
            .answers(204)
            .handle(this::release));
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    List<RoomClaim> found =
        claims.list(
            request.ownerFilter(),
            pageRequest.cursor().map(RoomEndpoints::position).orElse(RoomClaimPosition.BEGIN),
            pageRequest.limit() + 1);
    return Response.ok(
        Page.of(found, pageRequest, claim -> Cursor.of(claim.platform(), claim.room())));
  }

  private Response assign(Request request) {
    String room = room(request);
    AssignRequest body = request.body(AssignRequest.class);
    var _ = request.action().target("room", request.path("platform") + "/" + room).after(body);
    RoomClaim claim =
        claims.assign(
            request.path("platform"),
            room,
            body.owner(),
            body.track(),
            before(request),
            displaced,
            request.caller().scope());
    return Response.ok(claim);
  }

  private Response track(Request request) {
    String room = room(request);
    boolean track = request.body(RoomRuleRequest.class).track();
    var _ =
        request
            .action()
            .target("room", request.path("platform") + "/" + room)
            .after(Map.of("track", track));
    Optional<Long> user =
        request.caller() instanceof Caller.UserCaller caller
            ? Optional.of(caller.userId())
            : Optional.empty();
    return Response.ok(claims.track(request.path("platform"), room, track, user));
  }

  private Response release(Request request) {
    String room = room(request);
    var _ = request.action().target("room", request.path("platform") + "/" + room);
    claims.release(
        request.path("platform"), room, before(request), displaced, request.caller().scope());
    return Response.noContent();
  }

  /** Tells the audit journal whose the room was. */
  private static Consumer<RoomClaim> before(Request request) {
    return claim -> request.action().before(claim);
  }

  private static String room(Request request) {
    String room = request.path("room");
    int star = room.indexOf('*');
    if (star >= 0 && star < room.length() - 1) {
      throw Problem.badRequest("room", "may have a * at its end only");
    }
    return room;
  }

  private static RoomClaimPosition position(String cursor) {
    List<String> keys = Cursor.parse(cursor);
    if (keys.size() != 2) {
      throw Problem.badRequest("cursor", "is not a cursor of this list");
    }
    return new RoomClaimPosition(keys.get(0), keys.get(1));
  }
}

package io.convoke.server.teams;

import io.convoke.engine.sql.Database;
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
import io.convoke.server.teams.Team.TeamMember;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** {@code /admin/teams}: the operator's endpoints for teams and their members. */
public final class TeamEndpoints {
  private static final String TAG = "teams";
  private static final Schema TEAM = Schema.of(Team.class);
  private static final Schema MEMBER = Schema.of(TeamMember.class);
  private static final Schema NAMED = Schema.object().required("name", Schema.printable(1, 200));

  private final TeamStore teams;

  /** Teams in this database; meetings of users who leave a team's room are ended by displaced. */
  public TeamEndpoints(Database database, DisplacedMeetings displaced) {
    this.teams = new TeamStore(database, displaced);
  }

  private record NameRequest(String name) {}

  /** The endpoints under {@code /admin/teams}. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post("/admin/teams")
            .id("createTeam")
            .tag(TAG)
            .summary("Create a team: users who see each other's meetings.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.ADMIN)
            .body(NAMED)
            .creates()
            .answers(201, TEAM)
            .problems(409)
            .handle(this::create),
        Endpoint.get("/admin/teams")
            .id("listTeams")
            .tag(TAG)
            .summary("List teams, oldest first.")
            .roles(CallerRole.ADMIN)
            .paged()
            .answers(200, Schema.slice(TEAM))
            .handle(this::list),
        Endpoint.get("/admin/teams/{id}")
            .id("getTeam")
            .tag(TAG)
            .summary("Show a team.")
            .roles(CallerRole.ADMIN)
            .answers(200, TEAM)
            .handle(request -> Response.ok(team(request))),
        Endpoint.patch("/admin/teams/{id}")
            .id("changeTeam")
            .tag(TAG)
            .summary("Rename a team.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.ADMIN)
            .body(NAMED)
            .answers(200, TEAM)
            .problems(409)
            .handle(this::rename),
        Endpoint.delete("/admin/teams/{id}")
            .id("deleteTeam")
            .tag(TAG)
            .summary("Delete a team and release its rooms.")
            .description("Meetings in its rooms end. All meetings stay with their users.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.ADMIN)
            .answers(204)
            .handle(this::delete),
        Endpoint.get("/admin/teams/{id}/members")
            .id("listTeamMembers")
            .tag(TAG)
            .summary("List the members of a team, by user.")
            .roles(CallerRole.ADMIN)
            .paged()
            .answers(200, Schema.slice(MEMBER))
            .handle(this::members),
        Endpoint.put("/admin/teams/{id}/members/{user_id}")
            .id("addTeamMember")
            .tag(TAG)
            .summary("Add a user to a team, 250 at most. Idempotent.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.ADMIN)
            .answers(200, MEMBER)
            .problems(409)
            .handle(this::add),
        Endpoint.delete("/admin/teams/{id}/members/{user_id}")
            .id("removeTeamMember")
            .tag(TAG)
            .summary("Remove a user from a team.")
            .description(
                "The others' meetings are closed to the user on every node within 5 s, streams too,"
                    + " and the user's to them. The user's meetings in the team's rooms end.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.ADMIN)
            .answers(204)
            .handle(this::remove));
  }

  private Response create(Request request) {
    return Response.created(
        teams.create(
            request.body(NameRequest.class).name(),
            team -> request.action().target("team", team.id()).after(team)));
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    List<Team> found = teams.list(after(pageRequest), pageRequest.limit() + 1);
    return Response.ok(Page.of(found, pageRequest, team -> Cursor.of(team.id())));
  }

  private Response rename(Request request) {
    String name = request.body(NameRequest.class).name();
    return Response.ok(
        teams.rename(
            request.pathId("id"),
            name,
            team ->
                request
                    .action()
                    .target("team", team.id())
                    .before(team)
                    .after(Map.of("name", name))));
  }

  private Response delete(Request request) {
    Consumer<Team> locked = team -> request.action().target("team", team.id()).before(team);
    teams.delete(request.pathId("id"), locked, request.caller().scope());
    return Response.noContent();
  }

  private Response members(Request request) {
    Team team = team(request);
    PageRequest pageRequest = request.page();
    List<TeamMember> found = teams.members(team.id(), after(pageRequest), pageRequest.limit() + 1);
    return Response.ok(Page.of(found, pageRequest, member -> Cursor.of(member.userId())));
  }

  private Response add(Request request) {
    long user = request.pathId("user_id");
    var _ = request.action().target("team", request.pathId("id")).after(Map.of("user_id", user));
    return Response.ok(teams.add(request.pathId("id"), user));
  }

  private Response remove(Request request) {
    long user = request.pathId("user_id");
    var _ = request.action().target("team", request.pathId("id")).before(Map.of("user_id", user));
    teams.remove(request.pathId("id"), user, request.caller().scope());
    return Response.noContent();
  }

  private Team team(Request request) {
    return teams.find(request.pathId("id")).orElseThrow(() -> Problem.notFound("team"));
  }

  private static long after(PageRequest pageRequest) {
    return pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(0L);
  }
}

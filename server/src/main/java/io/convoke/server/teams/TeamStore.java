package io.convoke.server.teams;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.rooms.RoomClaims;
import io.convoke.server.rooms.RoomClaims.DisplacedMeetings;
import io.convoke.server.teams.Team.TeamMember;
import io.convoke.server.users.UsersFeature;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The tables {@code teams} and {@code team_members}. Each change of members tells all nodes about
 * each member, old and new, in its transaction. Live meetings of a user who leaves a team end in
 * the team's rooms.
 */
final class TeamStore {
  /** A cached key holds the number of each team-mate. */
  static final int MEMBERS_MAX = 250;

  private final Database database;
  private final DisplacedMeetings displaced;

  TeamStore(Database database, DisplacedMeetings displaced) {
    this.database = database;
    this.displaced = displaced;
  }

  /**
   * Creates a team.
   *
   * @param created called with it before the commit
   * @throws Problem 409 if another has the name
   */
  Team create(String name, Consumer<Team> created) {
    return uniquelyNamed(
        () ->
            database.transaction(
                tx -> {
                  Team team =
                      tx.sql("insert into teams as t (name) values (?) returning " + Team.COLUMNS)
                          .with(name)
                          .one(Team::of);
                  created.accept(team);
                  return team;
                }));
  }

  Optional<Team> find(long id) {
    return database.read(tx -> find(tx, id, ""));
  }

  /** Teams after an id, oldest first. */
  List<Team> list(long afterId, int limit) {
    return database.read(
        tx ->
            tx.sql("select " + Team.COLUMNS + " from teams t where id > ? order by id limit ?")
                .with(afterId, limit)
                .list(Team::of));
  }

  /**
   * Renames a team.
   *
   * @param locked called with the team as it was, before the commit
   * @throws Problem 404 without such a team, 409 if another has the name
   */
  Team rename(long id, String name, Consumer<Team> locked) {
    return uniquelyNamed(
        () ->
            database.transaction(
                tx -> {
                  locked.accept(lock(tx, id));
                  return tx.sql(
                          "update teams t set name = ? where id = ? returning " + Team.COLUMNS)
                      .with(name, id)
                      .one(Team::of);
                }));
  }

  /**
   * Deletes a team and releases its rooms; meetings there end.
   *
   * @param locked called with the team as it was, before the commit
   * @throws Problem 404 without such a team
   */
  void delete(long id, Consumer<Team> locked, String actor) {
    database.run(
        tx -> {
          RoomClaims.lock(tx);
          locked.accept(lock(tx, id));
          List<Long> members = notifyMembers(tx, id);
          int _ = tx.sql("delete from teams where id = ?").with(id).update();
          RoomClaims.releaseAll(tx, id);
          RoomClaims.endDisplaced(tx, members, displaced, actor);
        });
  }

  /** The members of a team after a user's id, in that order. */
  List<TeamMember> members(long id, long afterUser, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select user_id, added_at from team_members
                    where team_id = ? and user_id > ? order by user_id limit ?
                    """)
                .with(id, afterUser, limit)
                .list(TeamMember::of));
  }

  /**
   * Adds a user to a team, once or again.
   *
   * @throws Problem 404 without such a team or user, 409 if the team is full
   */
  TeamMember add(long id, long userId) {
    return database.transaction(
        tx -> {
          Team team = lock(tx, id);
          Optional<TeamMember> known = member(tx, id, userId);
          if (known.isPresent()) {
            return known.get();
          }
          if (team.members() >= MEMBERS_MAX) {
            throw Problem.conflict(
                "team_full",
                "A team has " + MEMBERS_MAX + " members at most.",
                Map.of("members", team.members()));
          }
          int added =
              tx.sql(
                      "insert into team_members (team_id, user_id) select ?, id from users where id = ?")
                  .with(id, userId)
                  .update();
          if (added == 0) {
            throw Problem.notFound("user");
          }
          List<Long> _ = notifyMembers(tx, id);
          return member(tx, id, userId).orElseThrow();
        });
  }

  /**
   * Removes a user from a team; the user's meetings in the team's rooms end.
   *
   * @throws Problem 404 if the user is not in the team
   */
  void remove(long id, long userId, String actor) {
    database.run(
        tx -> {
          RoomClaims.lock(tx);
          Team _ = lock(tx, id);
          List<Long> _ = notifyMembers(tx, id);
          int removed =
              tx.sql("delete from team_members where team_id = ? and user_id = ?")
                  .with(id, userId)
                  .update();
          if (removed == 0) {
            throw Problem.notFound("member");
          }
          RoomClaims.endDisplaced(tx, List.of(userId), displaced, actor);
        });
  }

  private static Optional<TeamMember> member(Tx tx, long id, long userId) {
    return tx.sql("select user_id, added_at from team_members where team_id = ? and user_id = ?")
        .with(id, userId)
        .first(TeamMember::of);
  }

  private static List<Long> notifyMembers(Tx tx, long id) {
    List<Long> members =
        tx.sql("select user_id from team_members where team_id = ?")
            .with(id)
            .list(resultRow -> resultRow.longAt("user_id"));
    UsersFeature.notify(tx, members);
    return members;
  }

  private static Team lock(Tx tx, long id) {
    return find(tx, id, " for update of t").orElseThrow(() -> Problem.notFound("team"));
  }

  private static Optional<Team> find(Tx tx, long id, String lock) {
    return tx.sql("select " + Team.COLUMNS + " from teams t where id = ?" + lock)
        .with(id)
        .first(Team::of);
  }

  private static Team uniquelyNamed(Supplier<Team> change) {
    try {
      return change.get();
    } catch (SqlFailure e) {
      if (e.is(SqlFailure.UNIQUE_VIOLATION)) {
        throw Problem.of(409, "name_taken", "Another team has this name.");
      }
      throw e;
    }
  }
}

package io.convoke.server.rooms;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The owners of rooms: users and teams. On an account-wide platform our API key reads every room by
 * its name, for every user of this server; there a meeting is accepted only in a room that belongs
 * to its user or to a team of its user. Where the address of a meeting is the right to join it,
 * rooms have no owners.
 *
 * <p>The claim and the meeting are written by one statement ({@link #CLAIMING}), so of two users
 * who ask for a room at the same time one gets it. An administrator's change locks the table
 * against such statements, so no meeting appears in a room while it changes hands.
 */
public final class RoomClaims {
  /**
   * Common table expressions of a statement that inserts a meeting. They read {@code asking
   * (user_id)}, the user who is otherwise admitted, or no row; {@code owner (user_id)} is the owner
   * of the room after the claim. Neither the user nor another one in it: a concurrent transaction
   * has just claimed the room, so run the statement again.
   *
   * <p>The first claim of a room opens recordings that began up to a minute before it, because a
   * meeting is often tracked when it has begun; a later one opens none from before.
   */
  public static final String CLAIMING =
      """
      held as materialized (select user_id from room_claim_for(?, ?, ?)),
      claimed as (
        insert into rooms as r (platform, room, user_id, claimed_at, opens_at)
        select ?, ?, asking.user_id, clock_timestamp(), clock_timestamp() - interval '1 minute'
        from asking
        where ? and not exists (select from held)
        on conflict (platform, room) do update
          set user_id = excluded.user_id, claimed_at = excluded.claimed_at,
              opens_at = date_trunc('second', excluded.claimed_at)
          where r.user_id is null
        returning user_id),
      owner as (select user_id from held union all select user_id from claimed)
      """;

  /** Statements for one meeting; the second follows a lost race and sees the winner's claim. */
  public static final int TRIES = 2;

  /** Live meetings in the rooms of a claim that belong to others than the rooms do. */
  private static final String DISPLACED =
      """
      select m.id from meetings m
      left join lateral room_claim_for(m.platform, m.platform_specific_id, m.user_id) c on true
      where m.platform = ? and (?::bigint[] is null or m.user_id = any(?)) and m.status not in ('completed', 'failed', 'error')
        and (m.platform_specific_id = ?
          or (? like '%*' and starts_with(m.platform_specific_id, left(?, -1))))
        and c.user_id is distinct from m.user_id
      order by m.id
      """;

  private static final String ADOPT =
      """
      insert into rooms (platform, room, user_id, claimed_at, opens_at)
      select distinct on (m.platform_specific_id)
        m.platform, m.platform_specific_id, m.user_id, clock_timestamp(),
        date_trunc('second', clock_timestamp())
      from meetings m
      where m.platform = ? and m.status not in ('completed', 'failed', 'error')
        and position('*' in m.platform_specific_id) = 0
        and not exists (select from room_claim(m.platform, m.platform_specific_id))
      order by m.platform_specific_id, m.created_at, m.id
      on conflict (platform, room) do update
        set user_id = excluded.user_id, claimed_at = excluded.claimed_at,
            opens_at = excluded.opens_at
        where rooms.user_id is null
      """;

  /** Platforms where our key reads every room by its name. */
  private static final List<String> PLATFORMS = List.of("daily", "janus");

  private static final Optional<Long[]> ANY_USER = Optional.empty();

  private final Database database;
  private final RoomClaimMode mode;

  /** Claims in this database. */
  public RoomClaims(Database database, RoomClaimMode mode) {
    this.database = database;
    this.mode = mode;
  }

  /** How a room without an owner gets one. */
  public enum RoomClaimMode {
    /** The first user who tracks it or sends a bot there. */
    FIRST,
    /** An administrator assigns it. */
    ASSIGNED
  }

  /** Ends meetings whose rooms belong to other users now, in the transaction of the change. */
  public interface DisplacedMeetings {
    void end(Tx tx, List<Long> meetings, String actor);

    /** Ends what else users do in rooms that are not theirs any more. */
    default void moved(Tx tx) {}
  }

  /** The result of a statement with {@link #CLAIMING}. */
  public enum RoomClaimOutcome {
    /** The room is the user's. */
    OWNED,
    /** It is another user's, or not to be claimed. */
    REFUSED,
    /** Another transaction claimed it meanwhile. */
    LOST_RACE
  }

  /** Whether rooms of this platform have owners. */
  public static boolean applyTo(String platform) {
    return PLATFORMS.contains(platform);
  }

  /** The parameters of {@link #CLAIMING}. */
  public List<Object> parameters(String platform, String room, long userId) {
    if (room.contains("*")) {
      throw Problem.badRequest("native_meeting_id", "contains *, which no room's name does");
    }
    return List.of(platform, room, userId, platform, room, mode == RoomClaimMode.FIRST);
  }

  /** The outcome for a user who was admitted otherwise, by {@code user_id} of {@code owner}. */
  public RoomClaimOutcome outcome(Optional<Long> owner, long userId) {
    if (owner.isPresent()) {
      return owner.get() == userId ? RoomClaimOutcome.OWNED : RoomClaimOutcome.REFUSED;
    }
    return switch (mode) {
      case FIRST -> RoomClaimOutcome.LOST_RACE;
      case ASSIGNED -> RoomClaimOutcome.REFUSED;
    };
  }

  /** 403: the room is not this user's. */
  public Problem refused() {
    return refusal(
        switch (mode) {
          case FIRST -> "This room belongs to another user; an administrator may move it.";
          case ASSIGNED -> "This room is not assigned to this user; an administrator assigns it.";
        });
  }

  private static Problem refusal(String detail) {
    return Problem.of(403, "room_claimed", detail);
  }

  /**
   * Claims a room for a user, if it has no owner; true if it is the user's afterwards.
   *
   * @param ours whether we chose its name, so that the user claims no room of others
   */
  public boolean claim(Tx tx, String platform, String room, long userId, boolean ours) {
    if (ours || mode == RoomClaimMode.FIRST) {
      int _ =
          tx.sql(
                  """
                  insert into rooms as r (platform, room, user_id, claimed_at, opens_at)
                  select ?, ?, id, clock_timestamp(), clock_timestamp() from users
                  where id = ? and not exists (select from room_claim(?, ?))
                  on conflict (platform, room) do update
                    set user_id = excluded.user_id, claimed_at = excluded.claimed_at,
                      opens_at = excluded.opens_at
                    where r.user_id is null
                  """)
              .with(platform, room, userId, platform, room)
              .update();
    }
    return owns(tx, platform, room, userId);
  }

  /** Deletes a user's claim of a room whose name we chose, if no one was told the name. */
  public void forget(Tx tx, String platform, String room, long userId) {
    int _ =
        tx.sql("delete from rooms where platform = ? and room = ? and user_id = ?")
            .with(platform, room, userId)
            .update();
  }

  /** Whether a room belongs to a user, or to a team of the user. */
  public boolean owns(String platform, String room, long userId) {
    return database.read(tx -> owns(tx, platform, room, userId));
  }

  private static boolean owns(Tx tx, String platform, String room, long userId) {
    return tx.sql("select user_id from room_claim_for(?, ?, ?)")
        .with(platform, room, userId)
        .first(resultRow -> resultRow.longAt("user_id"))
        .filter(owner -> owner == userId)
        .isPresent();
  }

  /** 403 if this room belongs to another user. */
  public static void requireNotOfAnother(Tx tx, String platform, String room, long userId) {
    if (tx.sql("select user_id from room_claim_for(?, ?, ?)")
        .with(platform, room, userId)
        .first(resultRow -> resultRow.longAt("user_id"))
        .filter(owner -> owner != userId)
        .isPresent()) {
      throw refusal("This room belongs to another user.");
    }
  }

  /** The position in a list of claims. */
  record RoomClaimPosition(String platform, String room) {
    static final RoomClaimPosition BEGIN = new RoomClaimPosition("", "");
  }

  /** The claims of a user and the user's teams, or all, by platform and room. */
  List<RoomClaim> list(Optional<Long> userId, RoomClaimPosition after, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + RoomClaim.COLUMNS
                        + """
                         from rooms
                        where user_id is not null
                          and (?::bigint is null or user_id = ? or (user_id = 0 and team_id in (
                            select t.team_id from team_members t where t.user_id = ?)))
                          and (platform, room) > (?, ?)
                        order by platform, room limit ?
                        """)
                .with(userId, userId, userId, after.platform(), after.room(), limit)
                .list(RoomClaim::of));
  }

  /**
   * Gives a room, or the rooms of a prefix, to a user or a team and ends the meetings that others
   * have there. Nothing changes if it is theirs already.
   *
   * @param track whether every visit is tracked; empty leaves that as it is, and off for a new
   *     owner
   * @param locked called with the claim as it was, if any, before the commit
   * @throws Problem 404 without such a user or team
   */
  RoomClaim assign(
      String platform,
      String room,
      RoomOwner owner,
      Optional<Boolean> track,
      Consumer<RoomClaim> locked,
      DisplacedMeetings displaced,
      String actor) {
    String times = ", clock_timestamp(), date_trunc('second', clock_timestamp())";
    String selected =
        switch (owner) {
          case RoomOwner.RoomUser _ -> "id, null::bigint" + times + " from users";
          case RoomOwner.RoomTeam _ -> "0, id" + times + " from teams";
        };
    return database.transaction(
        tx -> {
          lock(tx);
          find(tx, platform, room).ifPresent(locked);
          int changed =
              tx.sql(
                      """
                      insert into rooms as r
                        (platform, room, user_id, team_id, claimed_at, opens_at)
                      select ?, ?, OWNER where id = ?
                      on conflict (platform, room) do update
                        set user_id = excluded.user_id, team_id = excluded.team_id,
                            claimed_at = excluded.claimed_at, opens_at = excluded.opens_at,
                            tracks_for = null
                        where r.user_id is distinct from excluded.user_id
                          or (r.user_id = 0 and r.team_id is distinct from excluded.team_id)
                      """
                          .replace("OWNER", selected))
                  .with(platform, room, owner.id())
                  .update();
          RoomClaim claim =
              find(tx, platform, room)
                  .filter(it -> it.belongsTo(owner))
                  .orElseThrow(() -> Problem.notFound(owner.kind()));
          if (changed > 0) {
            end(tx, platform, room, displaced, actor);
          }
          return track.map(wanted -> track(tx, claim, wanted)).orElse(claim);
        });
  }

  /**
   * Sets whether every visit to the room, or to the rooms of a prefix, is tracked for its user.
   *
   * @param userId whose claim it must be; empty for any user's
   * @throws Problem 404 without such a claim of exactly this name, 400 for a team's
   */
  RoomClaim track(String platform, String room, boolean track, Optional<Long> userId) {
    return database.transaction(
        tx -> {
          lock(tx);
          RoomClaim claim =
              find(tx, platform, room)
                  .filter(it -> userId.isEmpty() || userId.equals(it.userId()))
                  .orElseThrow(() -> Problem.notFound("claim"));
          return track(tx, claim, track);
        });
  }

  private static RoomClaim track(Tx tx, RoomClaim claim, boolean track) {
    if (claim.track() == track) {
      return claim;
    }
    if (claim.userId().isEmpty()) {
      throw Problem.badRequest("track", "needs a room of one user, whose the meetings are");
    }
    int _ =
        tx.sql(
                "update rooms set tracks_for = case when ? then user_id end"
                    + " where platform = ? and room = ?")
            .with(track, claim.platform(), claim.room())
            .update();
    // Nodes without a live meeting ask the platform rarely; the first rule changes that.
    List<String> _ = tx.sql("select pg_notify('convoke_inbox', '')").list(_ -> "");
    return find(tx, claim.platform(), claim.room()).orElseThrow();
  }

  /**
   * Releases a room and ends the meetings there that no other claim covers.
   *
   * @param locked called with the claim as it was, before the commit
   * @throws Problem 404 without a claim of exactly this name
   */
  void release(
      String platform,
      String room,
      Consumer<RoomClaim> locked,
      DisplacedMeetings displaced,
      String actor) {
    database.run(
        tx -> {
          lock(tx);
          locked.accept(find(tx, platform, room).orElseThrow(() -> Problem.notFound("claim")));
          int _ =
              tx.sql(
                      """
                      update rooms set user_id = null, team_id = null, tracks_for = null
                      where platform = ? and room = ?
                      """)
                  .with(platform, room)
                  .update();
          end(tx, platform, room, displaced, actor);
        });
  }

  /**
   * Applies the rules to live meetings that were begun without them, by an earlier release or a
   * node of one: claims their rooms for the oldest, and ends those in rooms of others. Without such
   * meetings it locks nothing.
   */
  public void adopt(DisplacedMeetings displaced) {
    PLATFORMS.forEach(platform -> adopt(platform, displaced));
  }

  private void adopt(String platform, DisplacedMeetings displaced) {
    if (database.read(
        tx ->
            tx.sql(DISPLACED + "limit 1")
                .with(platform, ANY_USER, ANY_USER, "*", "*", "*")
                .list(_ -> true)
                .isEmpty())) {
      return;
    }
    database.run(
        tx -> {
          lock(tx);
          if (mode == RoomClaimMode.FIRST) {
            int _ = tx.sql(ADOPT).with(platform).update();
          }
          end(tx, platform, "*", displaced, "rooms");
        });
  }

  /** Releases the rooms of a team; call it under {@link #lock}. */
  public static void releaseAll(Tx tx, long teamId) {
    int _ =
        tx.sql("update rooms set user_id = null, team_id = null where user_id = 0 and team_id = ?")
            .with(teamId)
            .update();
  }

  /**
   * Ends the live meetings of these users in rooms that are no longer theirs; call it under {@link
   * #lock}.
   */
  public static void endDisplaced(
      Tx tx, List<Long> users, DisplacedMeetings displaced, String actor) {
    Optional<Long[]> ids = Optional.of(users.toArray(Long[]::new));
    PLATFORMS.forEach(platform -> end(tx, platform, "*", ids, displaced, actor));
  }

  private static void end(
      Tx tx, String platform, String room, DisplacedMeetings displaced, String actor) {
    end(tx, platform, room, ANY_USER, displaced, actor);
  }

  private static void end(
      Tx tx,
      String platform,
      String room,
      Optional<Long[]> users,
      DisplacedMeetings displaced,
      String actor) {
    List<Long> meetings =
        tx.sql(DISPLACED)
            .with(platform, users, users, room, room, room)
            .list(resultRow -> resultRow.longAt("id"));
    if (!meetings.isEmpty()) {
      displaced.end(tx, meetings, actor);
    }
    displaced.moved(tx);
  }

  private static Optional<RoomClaim> find(Tx tx, String platform, String room) {
    return tx.sql(
            "select "
                + RoomClaim.COLUMNS
                + " from rooms where platform = ? and room = ? and user_id is not null")
        .with(platform, room)
        .first(RoomClaim::of);
  }

  /** Waits for statements that insert meetings, and keeps new ones waiting until the commit. */
  public static void lock(Tx tx) {
    int _ = tx.sql("lock table rooms in share row exclusive mode").update();
  }
}

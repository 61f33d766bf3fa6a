package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.VisibleUsers;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Reads bots' rows, and writes all columns but the status: the handle, the stop request, the lease
 * of a launch.
 */
final class BotStore {
  static final String LIVE =
      "not tracked and status in ('requested', 'reserved', 'starting', 'active', 'stopping')";

  /** A bot that waits in its user's queue for a place, and has not been told to stop. */
  static final String QUEUED =
      "queued_at is not null and not tracked and desired = 'run'"
          + " and status in ('requested', 'reserved') and start_at = queue_until";

  private final Database database;

  BotStore(Database database) {
    this.database = database;
  }

  Database database() {
    return database;
  }

  /** Which bots to list. */
  record BotFilter(Optional<VisibleUsers> users, boolean liveOnly, long before, int limit) {}

  Optional<BotRow> find(long meetingId) {
    return database.read(
        tx ->
            tx.sql("select " + BotRow.COLUMNS + " from meetings where id = ? and not tracked")
                .with(meetingId)
                .first(BotRow::of));
  }

  /**
   * The newest bot of these users, or of any user, in a meeting of a platform; a live one before
   * any that ended, and of live ones that of the user before those of team-mates.
   *
   * @param nativeIds the spellings of its id: rows of earlier releases may have another one
   */
  Optional<BotRow> newest(Optional<VisibleUsers> users, String platform, List<String> nativeIds) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + BotRow.COLUMNS
                        + " from meetings where not tracked and platform = ? and"
                        + " (platform_specific_id = any(?) or meeting_key = any(?)) and "
                        + VisibleUsers.condition(users, "user_id")
                        + " order by (LIVE) desc, (LIVE and user_id = ?) desc, id desc limit 1"
                            .replace("LIVE", LIVE))
                .with(
                    platform,
                    nativeIds.toArray(String[]::new),
                    nativeIds.toArray(String[]::new),
                    VisibleUsers.parameter(users),
                    users.map(VisibleUsers::self))
                .first(BotRow::of));
  }

  /** Newest first. */
  List<BotRow> list(BotFilter botFilter) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + BotRow.COLUMNS
                        + " from meetings where not tracked and id < ? and "
                        + VisibleUsers.condition(botFilter.users(), "user_id")
                        + " and (? or "
                        + LIVE
                        + ") order by id desc limit ?")
                .with(
                    botFilter.before(),
                    VisibleUsers.parameter(botFilter.users()),
                    !botFilter.liveOnly(),
                    botFilter.limit())
                .list(BotRow::of));
  }

  /** Locks a row for a change of the desired state. */
  static Optional<BotRow> lock(Tx tx, long meetingId) {
    return tx.sql(
            "select " + BotRow.COLUMNS + " from meetings where id = ? and not tracked for update")
        .with(meetingId)
        .first(BotRow::of);
  }

  /** Locks those of these rows that are bots', in the order of their ids. */
  static List<BotRow> lock(Tx tx, List<Long> meetingIds) {
    return tx.sql(
            "select "
                + BotRow.COLUMNS
                + " from meetings where id = any(?) and not tracked order by id for update")
        .with((Object) meetingIds.toArray(Long[]::new))
        .list(BotRow::of);
  }

  /**
   * Locks those of these rows that no other transaction changes now. It waits for none, so it can
   * lock any number beside heartbeats, which are written in an order of their own.
   */
  static List<BotRow> lockFree(Tx tx, List<Long> meetingIds) {
    return tx.sql(
            "select "
                + BotRow.COLUMNS
                + " from meetings where id = any(?) and not tracked order by id for update skip"
                + " locked")
        .with((Object) meetingIds.toArray(Long[]::new))
        .list(BotRow::of);
  }

  /**
   * Records a stop request on each row; the first time counts. Touches neither status nor
   * updated_at.
   */
  static List<BotRow> wantStop(Tx tx, List<Long> meetingIds) {
    return tx.sql(
            """
            update meetings set desired = 'stop', stop_requested_at = coalesce(stop_requested_at, now())
            where id = any(?) returning
            """
                + BotRow.COLUMNS)
        .with((Object) meetingIds.toArray(Long[]::new))
        .list(BotRow::of);
  }

  /** Changes the start time of a row that is not being launched; false if it is. */
  static boolean reschedule(Tx tx, long meetingId, Instant at) {
    return tx.sql(
                """
                update meetings m set start_at = ?
                where id = ? and status in ('requested', 'reserved') and desired = 'run'
                  and start_at > clock_timestamp() and start_at is distinct from queue_until
                  and not exists (
                    select from bot_launches l where l.meeting_id = m.id and l.attempt = m.attempt)
                """)
            .with(at, meetingId)
            .update()
        == 1;
  }

  /** Starts the bots of a user that have waited longest for a place; at most so many. */
  static List<BotRow> endQueue(Tx tx, long userId, long most) {
    return tx.sql(
            """
            with next as (
              select id from meetings
              where user_id = ? and QUEUED and start_at > clock_timestamp()
              order by queued_at, id limit ? for update skip locked)
            update meetings set start_at = clock_timestamp() where id in (select id from next)
            returning
            """
                    .replace("QUEUED", QUEUED)
                + BotRow.COLUMNS)
        .with(userId, most)
        .list(BotRow::of);
  }

  /** Lets a bot that found no place after all wait on, and forgets the claim of its launch. */
  static void requeue(Tx tx, BotRow row) {
    int _ =
        tx.sql("delete from bot_launches where meeting_id = ? and attempt = ?")
            .with(row.id(), row.attempt())
            .update();
    int _ =
        tx.sql("update meetings set start_at = queue_until where id = ?").with(row.id()).update();
  }

  /** Users whose bots wait for a place, the longest wait first. */
  List<Long> queuing(Optional<Long> userId, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select user_id from meetings
                    where QUEUED and (?::bigint is null or user_id = ?)
                    group by user_id order by min(queued_at) limit ?
                    """
                        .replace("QUEUED", QUEUED))
                .with(userId, userId, limit)
                .list(resultRow -> resultRow.longAt("user_id")));
  }

  /** The places in their users' queues of those of these rows that wait; the first is 1. */
  Map<Long, Long> queuePositions(List<BotRow> rows) {
    Long[] users =
        rows.stream()
            .filter(BotRow::queued)
            .map(row -> row.meeting().userId())
            .distinct()
            .toArray(Long[]::new);
    if (users.length == 0) {
      return Map.of();
    }
    return database
        .read(
            tx ->
                tx.sql(
                        """
                        select id, row_number() over (
                          partition by user_id order by queued_at, id) as place
                        from meetings
                        where user_id = any(?) and QUEUED
                        """
                            .replace("QUEUED", QUEUED))
                    .with((Object) users)
                    .list(
                        resultRow -> Map.entry(resultRow.longAt("id"), resultRow.longAt("place"))))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Records that rules ask these bots to leave; returns the rows after that. */
  static List<BotRow> requestEnd(Tx tx, Map<Long, String> reasons) {
    List<Long> ids = List.copyOf(reasons.keySet());
    return tx.sql(
            """
            update meetings set end_requested_at = now(), end_reason = rule.reason
            from unnest(?::bigint[], ?::text[]) as rule (meeting_id, reason)
            where id = rule.meeting_id returning
            """
                + BotRow.COLUMNS)
        .with(ids.toArray(Long[]::new), ids.stream().map(reasons::get).toArray(String[]::new))
        .list(BotRow::of);
  }

  /** Records that the reports of these bots do not change. */
  static void stalled(Tx tx, List<Long> meetingIds) {
    int _ =
        tx.sql("update meetings set stalled_at = now() where id = any(?)")
            .with((Object) meetingIds.toArray(Long[]::new))
            .update();
  }

  /** Changes the limits of a bot. */
  static void replaceLimits(Tx tx, long meetingId, BotLimits limits) {
    int _ =
        tx.sql("update meetings set max_lifetime_ms = ?, silence_timeout_ms = ? where id = ?")
            .with(
                limits.maxLifetime().map(Duration::toMillis),
                limits.silence().map(Duration::toMillis),
                meetingId)
            .update();
  }

  /** Changes the settings of a bot before its launch. */
  static void replaceSpec(Tx tx, long meetingId, BotSpec spec) {
    int _ =
        tx.sql("update meetings set bot = ? where id = ?")
            .with(io.convoke.engine.json.Json.tree(spec), meetingId)
            .update();
  }

  /** Records the bot's protocol. */
  static void speaks(Tx tx, long meetingId, BotProtocol protocol) {
    int _ =
        tx.sql("update meetings set bot_protocol = ? where id = ? and bot_protocol <> ?")
            .with(protocol.wireName(), meetingId, protocol.wireName())
            .update();
  }

  /** Counts these launches, which the launcher sees running, as alive, if nothing else can. */
  int seenRunning(List<String> connectionIds) {
    return connectionIds.isEmpty()
        ? 0
        : database.read(
            tx ->
                tx.sql(
                        """
                        update meetings set updated_at = now()
                        where connection_id = any(?) and bot_protocol = 'vexa' and not tracked
                          and status in ('starting', 'active', 'stopping')
                        """)
                    .with((Object) connectionIds.toArray(String[]::new))
                    .update());
  }

  /**
   * A launch that this node has claimed.
   *
   * @param tries tells a claim from later ones of the same launch
   */
  record LaunchClaim(BotRow row, String node, int tries, Instant now) {}

  /**
   * Claims the launch of a row that has no bot yet, unless its lease is held. The launch of a dead
   * node can be claimed when its lease has expired; one that rests, to stop it, before that.
   */
  static Optional<LaunchClaim> claimLaunch(
      Tx tx, long meetingId, String node, Duration lease, String tokenKey) {
    return tx.sql(
            """
            with mine as (
              insert into bot_launches (meeting_id, attempt, node, lease_until, token_key)
              select id, attempt, ?, clock_timestamp() + ? * interval '1 ms', ? from meetings
              where id = ? and not tracked and status in ('requested', 'reserved')
                and bot_container_id is null
                and (start_at is null or start_at <= now() or desired = 'stop')
              for update
              on conflict (meeting_id, attempt) do update
                set node = excluded.node, lease_until = excluded.lease_until,
                    tries = bot_launches.tries + 1
                where bot_launches.lease_until < clock_timestamp()
                  or (bot_launches.node = '' and exists (
                    select from meetings m
                    where m.id = bot_launches.meeting_id and m.desired = 'stop'))
              returning meeting_id, tries)
            select mine.tries, clock_timestamp() as claimed_at, m.* from mine join meetings m on m.id = mine.meeting_id
            """)
        .with(node, lease, tokenKey, meetingId)
        .first(
            resultRow ->
                new LaunchClaim(
                    BotRow.of(resultRow),
                    node,
                    resultRow.intAt("tries"),
                    resultRow.instant("claimed_at")));
  }

  /**
   * Extends the lease of a claim; false if it is lost: another node has claimed the launch, or the
   * row does not wait for it any more.
   */
  boolean renewLaunch(LaunchClaim launchClaim, Duration lease) {
    BotRow row = launchClaim.row();
    return database.read(
            tx ->
                tx.sql(
                        """
                        update bot_launches l
                        set lease_until = clock_timestamp() + ? * interval '1 ms'
                        from meetings m
                        where l.meeting_id = ? and l.attempt = ? and l.node = ? and l.tries = ?
                          and m.id = l.meeting_id and m.attempt = l.attempt
                          and m.status in ('requested', 'reserved') and m.bot_container_id is null
                        """)
                    .with(lease, row.id(), row.attempt(), launchClaim.node(), launchClaim.tries())
                    .update())
        == 1;
  }

  /**
   * Gives up a claim of which nothing was made, and which cannot be carried out before its lease
   * expires.
   */
  void rest(LaunchClaim launchClaim) {
    BotRow row = launchClaim.row();
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      "update bot_launches set node = '' where meeting_id = ? and attempt = ? and"
                          + " node = ? and tries = ?")
                  .with(row.id(), row.attempt(), launchClaim.node(), launchClaim.tries())
                  .update();
        });
  }

  /**
   * Stores the handle of an attempt's bot, once; returns the row after that, which has the handle
   * of another bot if another node stored one before.
   */
  Optional<BotRow> launched(BotRow row, String handle) {
    return database.transaction(
        tx ->
            tx.sql(
                    """
                    update meetings set bot_container_id = coalesce(bot_container_id, ?)
                    where id = ? and attempt = ? and connection_id = ? returning
                    """
                        + BotRow.COLUMNS)
                .with(handle, row.id(), row.attempt(), row.connectionId())
                .first(BotRow::of));
  }

  /**
   * Records why this bot is about to be ended, unless its row changed or it called since the row
   * was read.
   */
  boolean ending(BotRow row, String reason) {
    return database.read(
            tx ->
                tx.sql(
                        "update meetings set ending = ? where id = ? and version = ? and updated_at"
                            + " = ?")
                    .with(reason, row.id(), row.version(), row.lastSign())
                    .update())
        == 1;
  }

  /** A row that waits for its launch: the moment it may be made. */
  record WaitingLaunch(long meetingId, Instant due, Instant now) {}

  /** Rows without a bot that may be launched before the given time has passed, and no lease. */
  List<WaitingLaunch> waiting(Duration ahead, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, coalesce(start_at, created_at) as due, now() as now from meetings m
                    where not tracked and status in ('requested', 'reserved') and bot_container_id is null
                      and (start_at is null or start_at <= now() + ? * interval '1 ms' or desired = 'stop')
                      and not exists (
                        select from bot_launches l
                        where l.meeting_id = m.id and l.attempt = m.attempt
                          and l.lease_until > clock_timestamp())
                    order by coalesce(start_at, created_at), id limit ?
                    """)
                .with(ahead, limit)
                .list(
                    resultRow ->
                        new WaitingLaunch(
                            resultRow.longAt("id"),
                            resultRow.instant("due"),
                            resultRow.instant("now"))));
  }

  /** The rows of these meetings, whatever their state. */
  List<BotRow> all(List<Long> meetingIds) {
    if (meetingIds.isEmpty()) {
      return List.of();
    }
    return database.read(
        tx ->
            tx.sql("select " + BotRow.COLUMNS + " from meetings where not tracked and id = any(?)")
                .with((Object) meetingIds.toArray(Long[]::new))
                .list(BotRow::of));
  }

  /** Live bots that have a handle. */
  List<BotRow> withHandle(MeetingStatus status, long after, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + BotRow.COLUMNS
                        + " from meetings where bot_container_id is not null and status = ? and id"
                        + " > ? and "
                        + LIVE
                        + " order by id limit ?")
                .with(status, after, limit)
                .list(BotRow::of));
  }

  /** The number of live bots by state; states without bots are absent. */
  Map<MeetingStatus, Long> live() {
    Map<MeetingStatus, Long> live = new EnumMap<>(MeetingStatus.class);
    database
        .read(
            tx ->
                tx.sql(
                        "select status, count(*) as bots from meetings where "
                            + LIVE
                            + " group by status")
                    .list(
                        resultRow ->
                            Map.entry(
                                MeetingStatus.of(resultRow.text("status")),
                                resultRow.longAt("bots"))))
        .forEach(entry -> live.merge(entry.getKey(), entry.getValue(), Long::sum));
    return live;
  }

  /** The store's clock. */
  Instant now() {
    return database.read(
        tx -> tx.sql("select now() as now").one(resultRow -> resultRow.instant("now")));
  }
}

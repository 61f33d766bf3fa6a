package io.convoke.server.presence;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Row;
import io.convoke.server.presence.merge.Merge;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Reads which meetings there are; every question answers for many meetings in one statement. */
final class MeetingRows {
  private final Database database;

  MeetingRows(Database database) {
    this.database = database;
  }

  /** What the timer compares with the platform. */
  record Standing(
      Meeting meeting, List<String> open, List<String> explained, Optional<Instant> provenAt) {}

  Optional<Meeting> find(long id) {
    return byIds(List.of(id)).stream().findFirst();
  }

  List<Meeting> byIds(Collection<Long> ids) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, user_id, platform, platform_specific_id, status, tracked
                    from meetings where id = any(?)
                    """)
                .with((Object) ids.toArray(Long[]::new))
                .list(MeetingRows::meeting));
  }

  /** Live meetings of a platform; all of them, since the map and the timer need all. */
  List<Meeting> live(String platform) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, user_id, platform, platform_specific_id, status, tracked
                    from meetings where platform = ? and status in %s
                    """
                        .formatted(Meeting.LIVE_SQL))
                .with(platform)
                .list(MeetingRows::meeting));
  }

  /** Live meetings of these rooms. */
  List<Meeting> inRooms(String platform, Collection<String> rooms) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, user_id, platform, platform_specific_id, status, tracked
                    from meetings
                    where platform = ? and platform_specific_id = any(?) and status in %s
                    """
                        .formatted(Meeting.LIVE_SQL))
                .with(platform, rooms.toArray(String[]::new))
                .list(MeetingRows::meeting));
  }

  /**
   * Live meetings with what we hold of them: visible open sessions, and those for which a
   * difference is no news: a confirming poll is due for who is absent, who went within the
   * platform's lag may still be shown, and who just came is shown by no snapshot yet.
   */
  List<Standing> standings(String platform, Instant fetchedAt) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select m.id, m.user_id, m.platform, m.platform_specific_id, m.status, m.tracked,
                           p.polled_at,
                           coalesce(array_agg(s.session_id) filter
                             (where s.left_at is null and not s.hidden), '{}') as open,
                           coalesce(array_agg(s.session_id) filter
                             (where s.absent_since is not null or s.left_at > ? or s.hidden
                               or (s.joined_at > ?
                                 and (p.polled_at is null or p.polled_at < s.joined_at))), '{}')
                             as explained
                    from meetings m
                    left join presence p on p.meeting_id = m.id
                    left join participant_sessions s
                      on s.meeting_id = m.id and (s.left_at is null or s.left_at > ?)
                    where m.platform = ? and m.status in %s
                    group by m.id, p.polled_at
                    """
                        .formatted(Meeting.LIVE_SQL))
                .with(
                    fetchedAt.minus(Merge.LAG),
                    fetchedAt.minus(Merge.LAG),
                    fetchedAt.minus(Merge.LAG),
                    platform)
                .list(
                    row ->
                        new Standing(
                            meeting(row),
                            row.texts("open"),
                            row.texts("explained"),
                            row.maybeInstant("polled_at"))));
  }

  /** Terminal meetings that still have open sessions: their end was missed. */
  List<Long> unfinished(int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select distinct m.id
                    from participant_sessions s join meetings m on m.id = s.meeting_id
                    where s.left_at is null and m.status in %s
                    limit ?
                    """
                        .formatted(Meeting.TERMINAL_SQL))
                .with(limit)
                .list(row -> row.longAt("id")));
  }

  /** A tracked meeting and since when it is. */
  record Tracked(Meeting meeting, Instant createdAt, boolean attended) {}

  /** Active tracked meetings in which nobody is seen: only those can have ended. */
  List<Tracked> quiet(String platform) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, user_id, platform, platform_specific_id, status, tracked, created_at,
                      exists (select 1 from participant_sessions s where s.meeting_id = m.id)
                        as attended
                    from meetings m
                    where tracked and status = 'active' and platform = ? and not exists (
                      select 1 from participant_sessions s
                      where s.meeting_id = m.id and s.left_at is null and not s.hidden)
                    """)
                .with(platform)
                .list(
                    row ->
                        new Tracked(
                            meeting(row), row.instant("created_at"), row.booleanAt("attended"))));
  }

  /**
   * Takes meetings from the database's own due list, the way to work while Redis is away: another
   * node does not take them again before {@code again}.
   */
  List<Long> takeDue(String platform, Duration again, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    update presence set due_at = now() + ? * interval '1 millisecond'
                    where meeting_id in (
                      select p.meeting_id from presence p join meetings m on m.id = p.meeting_id
                      where p.due_at <= now() and m.platform = ? and m.status in %s
                      order by p.due_at limit ?
                      for update of p skip locked)
                    returning meeting_id
                    """
                        .formatted(Meeting.LIVE_SQL))
                .with(again, platform, limit)
                .list(row -> row.longAt("meeting_id")));
  }

  /** A tracked meeting that a bot in another row of its room is the witness of. */
  record Watched(long meeting, Instant botEnd) {}

  /**
   * The active tracked meetings that the user of a bot's meeting has in the same room. {@code
   * botEnd} is now while the bot's meeting lives.
   */
  List<Watched> watchedBy(long botMeeting) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select m.id, coalesce(b.end_time, now()) as bot_end
                    from meetings b join meetings m
                      on m.user_id = b.user_id and m.platform = b.platform
                        and m.platform_specific_id = b.platform_specific_id
                    where b.id = ? and m.id <> b.id and m.tracked and m.status = 'active'
                    """)
                .with(botMeeting)
                .list(row -> new Watched(row.longAt("id"), row.instant("bot_end"))));
  }

  static Meeting meeting(Row row) {
    return new Meeting(
        row.longAt("id"),
        row.longAt("user_id"),
        row.text("platform"),
        row.text("platform_specific_id"),
        row.text("status"),
        row.booleanAt("tracked"));
  }
}

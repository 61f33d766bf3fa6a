package io.convoke.server.presence;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.server.presence.merge.PresenceMerge;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Queries on {@code meetings}; each reads many meetings in one statement. */
final class MeetingQueries {
  private final Database database;

  MeetingQueries(Database database) {
    this.database = database;
  }

  /**
   * The stored state that the reconciliation timer compares with the platform.
   *
   * @param open visible open sessions
   * @param explained sessions whose difference from the platform is expected
   */
  record MeetingPresenceSummary(
      PresenceMeeting meeting,
      List<String> open,
      List<String> explained,
      Optional<Instant> provenAt) {}

  Optional<PresenceMeeting> find(long id) {
    return byIds(List.of(id)).stream().findFirst();
  }

  List<PresenceMeeting> byIds(Collection<Long> ids) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, user_id, platform, platform_specific_id, status, tracked
                    from meetings where id = any(?)
                    """)
                .with((Object) ids.toArray(Long[]::new))
                .list(MeetingQueries::meeting));
  }

  /** All live meetings of a platform. */
  List<PresenceMeeting> liveMeetings(String platform) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, user_id, platform, platform_specific_id, status, tracked
                    from meetings where platform = ? and status in %s
                    """
                        .formatted(PresenceMeeting.LIVE_SQL))
                .with(platform)
                .list(MeetingQueries::meeting));
  }

  /** Live meetings of these rooms. */
  List<PresenceMeeting> inRooms(String platform, Collection<String> rooms) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, user_id, platform, platform_specific_id, status, tracked
                    from meetings
                    where platform = ? and platform_specific_id = any(?) and status in %s
                    """
                        .formatted(PresenceMeeting.LIVE_SQL))
                .with(platform, rooms.toArray(String[]::new))
                .list(MeetingQueries::meeting));
  }

  /**
   * Live meetings with their visible open sessions, and the sessions for which a difference is
   * expected: an absent one has a confirming poll due, one that left within the platform's lag may
   * still be listed, and one that just joined may not be listed yet.
   */
  List<MeetingPresenceSummary> presenceSummaries(String platform, Instant fetchedAt) {
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
                        .formatted(PresenceMeeting.LIVE_SQL))
                .with(
                    fetchedAt.minus(PresenceMerge.LAG),
                    fetchedAt.minus(PresenceMerge.LAG),
                    fetchedAt.minus(PresenceMerge.LAG),
                    platform)
                .list(
                    resultRow ->
                        new MeetingPresenceSummary(
                            meeting(resultRow),
                            resultRow.texts("open"),
                            resultRow.texts("explained"),
                            resultRow.maybeInstant("polled_at"))));
  }

  /**
   * Terminal meetings that still have open sessions: their end was missed.
   *
   * @param after only meetings with greater ids, in their order
   */
  List<Long> unfinished(long after, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select distinct m.id
                    from participant_sessions s join meetings m on m.id = s.meeting_id
                    where s.left_at is null and m.status in %s
                      and m.id > ?
                    order by m.id limit ?
                    """
                        .formatted(PresenceMeeting.TERMINAL_SQL))
                .with(after, limit)
                .list(resultRow -> resultRow.longAt("id")));
  }

  /**
   * A tracked meeting without a visible participant.
   *
   * @param createdAt when tracking began
   * @param attended whether it had a session since tracking began
   * @param lastLeft the latest end of such a session
   * @param checkedAt when the platform was last asked whether it is over
   * @param platformSession the platform's id of the meeting that the latest snapshot showed
   */
  record TrackedMeeting(
      PresenceMeeting meeting,
      Instant createdAt,
      boolean attended,
      Optional<Instant> lastLeft,
      Optional<Instant> checkedAt,
      Optional<String> platformSession) {}

  /**
   * Active tracked meetings without a visible open session: only those can have ended. One that
   * started before its row was written was begun by a rule, with a visit that may be over.
   */
  List<TrackedMeeting> quiet(String platform) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select m.id, m.user_id, m.platform, m.platform_specific_id, m.status, m.tracked,
                      coalesce(m.start_time, m.created_at) as since, s.attended, s.last_left,
                      p.room_checked_at, p.platform_session
                    from meetings m
                    left join presence p on p.meeting_id = m.id
                    cross join lateral (
                      select count(*) > 0 as attended, max(left_at) as last_left
                      from participant_sessions
                      where meeting_id = m.id and (left_at is null or left_at >= m.created_at
                        or m.start_time < m.created_at)) s
                    where m.tracked and m.status = 'active' and m.platform = ? and not exists (
                      select 1 from participant_sessions s
                      where s.meeting_id = m.id and s.left_at is null and not s.hidden)
                    """)
                .with(platform)
                .list(
                    resultRow ->
                        new TrackedMeeting(
                            meeting(resultRow),
                            resultRow.instant("since"),
                            resultRow.booleanAt("attended"),
                            resultRow.maybeInstant("last_left"),
                            resultRow.maybeInstant("room_checked_at"),
                            resultRow.maybeText("platform_session"))));
  }

  /**
   * Records that a room is being checked; false when another node did so since {@code checkedAt}
   * was read.
   */
  boolean claimCheck(TrackedMeeting trackedMeeting, Instant now) {
    return database.read(
            tx ->
                tx.sql(
                        """
                        insert into presence (meeting_id, room_checked_at) values (?, ?)
                        on conflict (meeting_id) do update
                          set room_checked_at = excluded.room_checked_at
                          where presence.room_checked_at is not distinct from ?::timestamptz
                        """)
                    .with(trackedMeeting.meeting().id(), now, trackedMeeting.checkedAt())
                    .update())
        > 0;
  }

  /** Takes back the record of a check that the platform did not answer. */
  void returnCheck(TrackedMeeting trackedMeeting, Instant now) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update presence set room_checked_at = ?::timestamptz
                        where meeting_id = ? and room_checked_at = ?
                        """)
                    .with(trackedMeeting.checkedAt(), trackedMeeting.meeting().id(), now)
                    .update());
  }

  /**
   * Claims meetings from the due list in Postgres, used while Redis is unreachable: no node claims
   * them again before {@code again}.
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
                        .formatted(PresenceMeeting.LIVE_SQL))
                .with(again, platform, limit)
                .list(resultRow -> resultRow.longAt("meeting_id")));
  }

  /** A tracked meeting observed by the bot of another meeting in the same room. */
  record BotObservedMeeting(long meeting, Instant botEnd) {}

  /**
   * The active tracked meetings that the user of a bot's meeting has in the same room. {@code
   * botEnd} is now while the bot's meeting has no end.
   */
  List<BotObservedMeeting> watchedBy(long botMeeting) {
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
                .list(
                    resultRow ->
                        new BotObservedMeeting(
                            resultRow.longAt("id"), resultRow.instant("bot_end"))));
  }

  /**
   * A tracked meeting with open sessions that a bot reported, in whose room its user has no bot.
   *
   * @param since the end of the last bot, or the latest join if that was later by the bot's clock
   */
  record UnobservedMeeting(PresenceMeeting meeting, Instant since) {}

  /**
   * Tracked meetings whose bots are over, though sessions that they reported are open.
   *
   * @param polled platforms whose own answers close such sessions
   * @param after only meetings with greater ids, in their order
   */
  List<UnobservedMeeting> unobserved(Collection<String> polled, long after, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select m.id, m.user_id, m.platform, m.platform_specific_id, m.status, m.tracked,
                      greatest(max(s.joined_at), (
                        select coalesce(max(b.end_time), now()) from meetings b
                        where b.platform = m.platform and b.user_id = m.user_id
                          and b.platform_specific_id = m.platform_specific_id
                          and not b.tracked)) as since
                    from participant_sessions s join meetings m on m.id = s.meeting_id
                    where s.left_at is null and s.join_source = 'bot'
                      and m.platform <> all(?) and m.id > ?
                      and m.tracked and m.status = 'active' and not exists (
                        select from meetings b
                        where b.platform = m.platform and b.user_id = m.user_id
                          and b.platform_specific_id = m.platform_specific_id
                          and not b.tracked and b.status in %s)
                    group by m.id
                    order by m.id limit ?
                    """
                        .formatted(PresenceMeeting.LIVE_SQL))
                .with(polled.toArray(String[]::new), after, limit)
                .list(
                    resultRow ->
                        new UnobservedMeeting(meeting(resultRow), resultRow.instant("since"))));
  }

  static PresenceMeeting meeting(ResultRow resultRow) {
    return new PresenceMeeting(
        resultRow.longAt("id"),
        resultRow.longAt("user_id"),
        resultRow.text("platform"),
        resultRow.text("platform_specific_id"),
        resultRow.text("status"),
        resultRow.booleanAt("tracked"));
  }
}

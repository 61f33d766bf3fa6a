package io.convoke.server.quota;

import io.convoke.engine.sql.Database;
import io.convoke.server.egress.EgressFeature;
import io.convoke.server.http.QuotaName;

/** Counts what a user has, each by an index of its table. */
final class UsageQueries {
  /**
   * Without those that servers submit to finish an egress. Specs are large: only those of requests
   * with such a name are read.
   */
  private static final String TASKS =
      """
      select count(*) as used from tasks
      where user_id = ? and completed_at is null
        and (not starts_with(request_id, ?) or spec ->> 'type' is distinct from ?
          or spec ->> 'action' is distinct from ?)
      """;

  private static final String MEETINGS =
      "select count(*) as used from meetings where user_id = ? and tracked and status = 'active'";
  private static final String SCHEDULES =
      """
      select count(*) as used from meetings
      where user_id = ? and not tracked and status in ('requested', 'reserved')
        and start_at > now()
      """;
  private static final String WEBHOOKS =
      "select count(*) as used from webhook_endpoints where user_id = ?";
  private static final String ROOMS = "select count(*) as used from janus_rooms where user_id = ?";
  private static final String STORED_BYTES =
      """
      select coalesce((
        select sum(
          case when r.blob_key is not null then coalesce(r.blob_size, 0) else 0 end
          + case when r.kind in ('raw-tracks', 'bot') then coalesce((
              select sum(t.blob_size) from recording_tracks t
              where t.recording_id = r.recording_id and t.blob_key is not null), 0) else 0 end
          + case when r.kind = 'bot' then coalesce((
              select sum(p.blob_size) from recording_parts p
              where p.recording_id = r.recording_id), 0) else 0 end)
        from recordings r where r.user_id = u.id and r.deleted_at is null), 0)::bigint
        + coalesce((
          select sum(e.bytes) from egresses e
          where e.user_id = u.id and e.deleted_at is null), 0)::bigint as used
      from (select ?::bigint as id) u
      """;

  private final Database database;

  UsageQueries(Database database) {
    this.database = database;
  }

  /**
   * How much a user has.
   *
   * @param streams how many event streams the user reads, which no table holds
   */
  long used(QuotaName quota, long userId, long streams) {
    return switch (quota) {
      case TASKS ->
          count(
              TASKS,
              userId,
              EgressFeature.FINISH_REQUEST,
              EgressFeature.TYPE,
              EgressFeature.FINISH);
      case MEETINGS -> count(MEETINGS, userId);
      case SCHEDULES -> count(SCHEDULES, userId);
      case STREAMS -> streams;
      case WEBHOOKS -> count(WEBHOOKS, userId);
      case ROOMS -> count(ROOMS, userId);
      case STORED_BYTES -> count(STORED_BYTES, userId);
    };
  }

  private long count(String sql, Object... parameters) {
    return database.read(
        tx -> tx.sql(sql).with(parameters).one(resultRow -> resultRow.longAt("used")));
  }
}

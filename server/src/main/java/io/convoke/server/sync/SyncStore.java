package io.convoke.server.sync;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The SQL of sync status. All writers lock rows in the order of their ids. */
final class SyncStore {
  /** The format of ids of this server's meetings. */
  private static final String NUMBER = "[1-9][0-9]{0,17}";

  private static final String COLUMNS =
      """
      s.meeting_id, s.user_id, s.status, s.updated_at, s.last_step, s.attempts, s.error_message,
      s.version, s.last_synced_by, s.job_id, coalesce(s.attempt, s.attempts) as attempt, s.seq,
      s.steps, s.attempt_at, s.marks, s.unanswered_version = s.version as unanswered
      """;

  /**
   * Since when a sync in progress must have been without progress: one parameter, the time of the
   * settings; a retry that no job has answered has less.
   */
  private static final String STALLED =
      """
      updated_at + case when unanswered_version = version then %d else ? end * interval '1 ms' < now()
      """
          .formatted(SyncView.ANSWER_MAX.toMillis());

  private final Database database;

  SyncStore(Database database) {
    this.database = database;
  }

  /** Rows for writing, and the time at which they were locked. */
  record LockedSyncs(Map<String, SyncLifecycle.SyncState> states, Instant at) {}

  /** The cursor of a page of problems. */
  record SyncPosition(Instant updatedAt, String meetingId) {}

  /** Number of syncs by state. */
  record SyncStatusCounts(long inProgress, long stalled, long failed, double oldestSeconds) {}

  /**
   * Locks the rows of these meetings. Meetings without a row get an empty state; the upsert detects
   * if another writer creates the row first.
   */
  static LockedSyncs lock(Tx tx, Collection<String> meetingIds) {
    String[] ids = meetingIds.stream().sorted().toArray(String[]::new);
    LockedSyncs known =
        tx.queryTogether(
            List.of(
                tx.sql(
                        "select "
                            + COLUMNS
                            + """
                             from sync_status s where s.meeting_id = any(?)
                            order by s.meeting_id collate "C" for update
                            """)
                    .with((Object) ids),
                tx.sql("select clock_timestamp() as at")),
            SyncStore::locked);
    List<String> fresh = Stream.of(ids).filter(id -> !known.states().containsKey(id)).toList();
    if (!fresh.isEmpty()) {
      Map<String, Long> owners = new HashMap<>();
      var _ =
          owners(tx, fresh)
              .list(resultRow -> owners.put(resultRow.text("id"), resultRow.longAt("user_id")));
      fresh.forEach(id -> known.states().put(id, fresh(id, Optional.ofNullable(owners.get(id)))));
    }
    return known;
  }

  private static LockedSyncs locked(BatchResults batchResults) {
    Map<String, SyncLifecycle.SyncState> states = new TreeMap<>();
    batchResults.list(SyncStore::state).forEach(it -> states.put(it.record().meetingId(), it));
    return new LockedSyncs(
        states, batchResults.first(resultRow -> resultRow.instant("at")).orElseThrow());
  }

  private static SyncLifecycle.SyncState fresh(String id, Optional<Long> owner) {
    return new SyncLifecycle.SyncState(SyncRecord.notStarted(id, owner), SeenJobs.NONE);
  }

  /**
   * Writes states that were computed from the given versions.
   *
   * @throws ConcurrentSyncUpdate if another writer created one of the rows meanwhile; the
   *     transaction must be rolled back
   */
  static void upsert(Tx tx, Map<String, Long> basedOn, Collection<SyncLifecycle.SyncState> states) {
    List<SyncRow> rows =
        states.stream()
            .map(
                syncState ->
                    SyncRow.of(syncState, basedOn.getOrDefault(syncState.record().meetingId(), 0L)))
            .toList();
    List<String> written =
        tx.sql(
                """
                insert into sync_status as s
                  (meeting_id, user_id, status, updated_at, last_step, attempts, error_message,
                   version, last_synced_by, job_id, attempt, seq, steps, attempt_at, marks, based_on,
                   unanswered_version)
                select meeting_id, user_id, status, updated_at, last_step, attempts, error_message,
                   version, last_synced_by, job_id, attempt, seq, steps, attempt_at, marks, based_on,
                   unanswered_version
                from jsonb_to_recordset(?::jsonb) as u (meeting_id text, user_id bigint, status text,
                   updated_at timestamptz, last_step text, attempts integer, error_message text,
                   version bigint, last_synced_by text, job_id text, attempt bigint, seq bigint,
                   steps jsonb, attempt_at timestamptz, marks jsonb, based_on bigint,
                   unanswered_version bigint)
                on conflict (meeting_id) do update set
                  user_id = excluded.user_id, status = excluded.status,
                  updated_at = excluded.updated_at, last_step = excluded.last_step,
                  attempts = excluded.attempts,
                  error_message = excluded.error_message, version = excluded.version,
                  last_synced_by = excluded.last_synced_by, job_id = excluded.job_id,
                  attempt = excluded.attempt, seq = excluded.seq, steps = excluded.steps,
                  attempt_at = excluded.attempt_at, marks = excluded.marks,
                  based_on = excluded.based_on, stalled_at = null,
                  unanswered_version = excluded.unanswered_version
                where s.version = excluded.based_on
                returning meeting_id
                """)
            .with(Json.write(rows))
            .list(resultRow -> resultRow.text("meeting_id"));
    if (written.size() != states.size()) {
      throw new ConcurrentSyncUpdate();
    }
  }

  /** The ids of those updates of these meetings that are in the journal. */
  static Set<String> known(Tx tx, Collection<String> meetingIds, Collection<String> updateIds) {
    return Set.copyOf(
        tx.sql(
                """
                select e.data ->> 'update_id' as id from events e
                where e.subject = any(?) and e.type = ? and e.data ->> 'update_id' = any(?)
                """)
            .with(
                meetingIds.stream().map(SyncJournal::subject).distinct().toArray(String[]::new),
                SyncJournal.TYPE,
                updateIds.toArray(String[]::new))
            .list(resultRow -> resultRow.text("id")));
  }

  /** A row for the upsert, with times in full precision. */
  record SyncRow(
      String meetingId,
      Optional<Long> userId,
      SyncStatus status,
      String updatedAt,
      Optional<String> lastStep,
      long attempts,
      Optional<String> errorMessage,
      long version,
      Optional<String> lastSyncedBy,
      Optional<String> jobId,
      long attempt,
      Optional<Long> seq,
      List<StepState> steps,
      String attemptAt,
      SeenJobs marks,
      long basedOn,
      Optional<Long> unansweredVersion) {
    static SyncRow of(SyncLifecycle.SyncState syncState, long basedOn) {
      SyncRecord record = syncState.record();
      return new SyncRow(
          record.meetingId(),
          record.userId(),
          record.status(),
          record.updatedAt().orElseThrow().toString(),
          record.lastStep(),
          record.attempts(),
          record.errorMessage(),
          record.version(),
          record.lastSyncedBy(),
          record.jobId(),
          record.attempt(),
          record.seq(),
          record.steps(),
          record.attemptAt().orElseThrow().toString(),
          syncState.seenJobs(),
          basedOn,
          record.unanswered().filter(yes -> yes).map(yes -> record.version()));
    }
  }

  /** Another writer created a row meanwhile; the updates must be computed again. */
  static final class ConcurrentSyncUpdate extends RuntimeException {
    ConcurrentSyncUpdate() {
      super("another writer created the row", null, false, false);
    }
  }

  /**
   * The records of meetings; meetings of this server without a row are not started; unknown ids are
   * omitted.
   */
  Map<String, SyncRecord> find(Collection<String> meetingIds) {
    String[] ids = meetingIds.toArray(String[]::new);
    return database.read(
        tx ->
            tx.queryTogether(
                List.of(
                    tx.sql("select " + COLUMNS + " from sync_status s where s.meeting_id = any(?)")
                        .with((Object) ids),
                    owners(tx, meetingIds)),
                batchResults -> {
                  Map<String, SyncRecord> found = new HashMap<>();
                  batchResults.list(SyncStore::record).forEach(it -> found.put(it.meetingId(), it));
                  batchResults
                      .list(
                          resultRow ->
                              SyncRecord.notStarted(
                                  resultRow.text("id"), Optional.of(resultRow.longAt("user_id"))))
                      .forEach(known -> found.putIfAbsent(known.meetingId(), known));
                  return found;
                }));
  }

  /** Failed and stalled syncs whose version was not dismissed, newest first. */
  List<SyncRecord> problems(Duration stallAfter, Optional<SyncPosition> after, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + COLUMNS
                        + """
                         from sync_status s
                        where s.status <> 'success'
                          and (s.status = 'failure' or STALLED)
                          and s.version is distinct from s.dismissed
                          and (? or (s.updated_at, s.meeting_id) < (?, ?))
                        order by s.updated_at desc, s.meeting_id desc limit ?
                        """
                            .replace("STALLED", STALLED))
                .with(
                    stallAfter,
                    after.isEmpty(),
                    after.map(SyncPosition::updatedAt).orElse(Instant.EPOCH),
                    after.map(SyncPosition::meetingId).orElse(""),
                    limit)
                .list(SyncStore::record));
  }

  /**
   * Dismisses a problem of this version; empty if it is not a problem or has another version. The
   * version does not change, so readers see no change.
   */
  static Optional<SyncRecord> dismiss(Tx tx, String meetingId, long version, Duration stallAfter) {
    return tx.sql(
            """
            update sync_status s set dismissed = s.version
            where s.meeting_id = ? and s.version = ? and s.status <> 'success'
              and (s.status = 'failure' or STALLED)
            """
                    .replace("STALLED", STALLED)
                + "returning "
                + COLUMNS)
        .with(meetingId, version, stallAfter)
        .first(SyncStore::record);
  }

  /** Marks stalled syncs that were not yet reported, and returns them. */
  static List<SyncRecord> markStalled(Tx tx, Duration stallAfter, int limit) {
    return tx.sql(
            """
            update sync_status s set stalled_at = now() where s.meeting_id in (
              select meeting_id from sync_status
              where status = 'in_progress' and stalled_at is null
                and STALLED
              order by updated_at limit ? for update skip locked)
            """
                    .replace("STALLED", STALLED)
                + "returning "
                + COLUMNS)
        .with(stallAfter, limit)
        .list(SyncStore::record);
  }

  /** Time until the next possible stall; empty if none is in progress. */
  static Optional<Duration> untilNextStall(Tx tx, Duration stallAfter) {
    return tx.sql(
            """
            select extract(epoch from min(updated_at + case when unanswered_version = version
                then %d else ? end * interval '1 ms') - now()) as wait
            from sync_status where status = 'in_progress' and stalled_at is null
            """
                .formatted(SyncView.ANSWER_MAX.toMillis()))
        .with(stallAfter)
        .one(
            resultRow ->
                resultRow
                    .maybeText("wait")
                    .map(text -> Duration.ofMillis(Math.round(Double.parseDouble(text) * 1e3))));
  }

  SyncStatusCounts countByStatus(Duration stallAfter) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select count(*) filter (where status = 'in_progress') as running,
                      count(*) filter (where status = 'in_progress'
                        and STALLED) as stalled,
                      count(*) filter (where status = 'failure') as failed,
                      coalesce(extract(epoch from now() - min(updated_at)
                        filter (where status = 'in_progress')), 0)::double precision as oldest
                    from sync_status where status <> 'success'
                    """
                        .replace("STALLED", STALLED))
                .with(stallAfter)
                .one(
                    resultRow ->
                        new SyncStatusCounts(
                            resultRow.longAt("running"),
                            resultRow.longAt("stalled"),
                            resultRow.longAt("failed"),
                            resultRow.doubleAt("oldest"))));
  }

  private static Query owners(Tx tx, Collection<String> meetingIds) {
    return tx.sql("select id::text as id, user_id from meetings where id = any(?)")
        .with(
            (Object)
                meetingIds.stream()
                    .filter(id -> id.matches(NUMBER))
                    .map(Long::valueOf)
                    .toArray(Long[]::new));
  }

  private static SyncLifecycle.SyncState state(ResultRow resultRow) {
    String marks = resultRow.text("marks");
    return new SyncLifecycle.SyncState(
        record(resultRow), marks.equals("{}") ? SeenJobs.NONE : Json.read(marks, SeenJobs.class));
  }

  private static SyncRecord record(ResultRow resultRow) {
    return new SyncRecord(
        resultRow.text("meeting_id"),
        resultRow.maybeLong("user_id"),
        SyncStatus.of(resultRow.text("status")),
        resultRow.maybeInstant("updated_at"),
        resultRow.maybeText("last_step"),
        resultRow.longAt("attempts"),
        resultRow.maybeText("error_message"),
        resultRow.longAt("version"),
        resultRow.maybeText("last_synced_by"),
        resultRow.maybeText("job_id"),
        resultRow.longAt("attempt"),
        resultRow.maybeLong("seq"),
        List.of(Json.read(resultRow.text("steps"), StepState[].class)),
        resultRow.maybeInstant("attempt_at"),
        resultRow.maybeText("unanswered").filter("t"::equals).map(yes -> true));
  }
}

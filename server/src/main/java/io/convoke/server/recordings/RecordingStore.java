package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.VisibleUsers;
import io.convoke.server.platform.RecordingInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads recordings, and writes all columns but the status and the outputs of steps. */
final class RecordingStore {
  /**
   * Whether a claim of the room by a user, or by one whose meetings that user sees, opens an
   * unmatched recording: it began after the claim, or shortly before the first claim of the room
   * and went on after it.
   */
  private static final String OPENED =
      """
      r.status = 'unmatched' and exists (
        select from room_claim_for(r.platform, r.room_name, ?) c
        where c.user_id = any(?) and c.opens_at <= r.start_time
          and c.claimed_at
            <= coalesce(r.start_time + r.duration_s * interval '1 second', 'infinity'))
      """;

  /** Each is looked up. */
  private static final int SUSPECTS_MAX = 5;

  private final Database database;

  RecordingStore(Database database) {
    this.database = database;
  }

  /** Where a page ended. */
  record RecordingPosition(Instant createdAt, String id) {}

  /** The filter of a list, newest first, after the cursor of an earlier page. */
  record RecordingFilter(
      Optional<VisibleUsers> users,
      Optional<Long> meetingId,
      Optional<RecordingStatus> status,
      Optional<RecordingPosition> below,
      int limit) {}

  /**
   * What a row still waits for.
   *
   * @param runs it waits for the end of the recording
   * @param inRoom its room is known
   * @param inMeeting its meeting is known
   * @param broken it failed by an error of the platform, after which a file may come
   */
  record KnownRecording(boolean runs, boolean inRoom, boolean inMeeting, boolean broken) {
    /** Whether the platform tells more than the row has. */
    boolean lacks(RecordingInfo facts) {
      return switch (facts.stage()) {
        case RUNNING -> runs && !(inRoom && inMeeting);
        case CANCELLED -> runs;
        case FINISHED -> runs || (broken && facts.hasFile());
      };
    }
  }

  Optional<RecordingRow> find(String id) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + RecordingRow.COLUMNS
                        + " from recordings where recording_id = ? and deleted_at is null")
                .with(id)
                .first(RecordingRow::of));
  }

  /**
   * A user sees the recordings of their meetings, and unmatched ones that their rooms' claims open.
   */
  List<RecordingRow> list(RecordingFilter recordingFilter) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + RecordingRow.COLUMNS
                        + """
                         from recordings r where deleted_at is null
                          and (OWNED or (OPENED))
                          and (?::bigint is null or meeting_id = ?)
                          and (?::text is null or status = ?)
                          and (?::timestamptz is null or (created_at, recording_id) < (?, ?))
                        order by created_at desc, recording_id desc limit ?
                        """
                            .replace("OPENED", OPENED)
                            .replace(
                                "OWNED",
                                VisibleUsers.condition(recordingFilter.users(), "user_id")))
                .with(
                    VisibleUsers.parameter(recordingFilter.users()),
                    recordingFilter.users().map(VisibleUsers::self),
                    recordingFilter.users().map(VisibleUsers::ids),
                    recordingFilter.meetingId(),
                    recordingFilter.meetingId(),
                    recordingFilter.status().map(RecordingStatus::wireName),
                    recordingFilter.status().map(RecordingStatus::wireName),
                    recordingFilter.below().map(RecordingPosition::createdAt),
                    recordingFilter.below().map(RecordingPosition::createdAt),
                    recordingFilter.below().map(RecordingPosition::id),
                    recordingFilter.limit())
                .list(RecordingRow::of));
  }

  /** Whether these users' claim of its room opens this recording, which has no meeting. */
  boolean opened(VisibleUsers users, String id) {
    return database.read(
        tx ->
            tx.sql(
                    "select exists (select from recordings r where r.recording_id = ? and "
                        + OPENED
                        + ") as opened")
                .with(id, users.self(), users.ids())
                .one(resultRow -> resultRow.booleanAt("opened")));
  }

  /** Those among these that are known, deleted ones included, which wait for nothing. */
  Map<String, KnownRecording> known(List<String> ids) {
    if (ids.isEmpty()) {
      return Map.of();
    }
    return database
        .read(
            tx ->
                tx.sql(
                        """
                        select recording_id,
                          deleted_at is null and status = 'in_progress' as runs,
                          coalesce(room_name, '') <> '' as in_room,
                          meeting_id is not null as in_meeting,
                          deleted_at is null and status = 'failed' and run = 0 as broken
                        from recordings where recording_id = any(?)
                        """)
                    .with((Object) ids.toArray(String[]::new))
                    .list(
                        resultRow ->
                            Map.entry(
                                resultRow.text("recording_id"),
                                new KnownRecording(
                                    resultRow.booleanAt("runs"),
                                    resultRow.booleanAt("in_room"),
                                    resultRow.booleanAt("in_meeting"),
                                    resultRow.booleanAt("broken")))))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Notes that these still run at the platform; every ten minutes at most, as hours count. */
  void told(List<String> ids) {
    if (ids.isEmpty()) {
      return;
    }
    // A transaction, which is repeated after a deadlock: others lock the same rows in other orders.
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update recordings set told_at = now()
                      where recording_id = any(?) and status = 'in_progress'
                        and deleted_at is null and told_at < now() - interval '10 minutes'
                      """)
                  .with((Object) ids.toArray(String[]::new))
                  .update();
        });
  }

  /** Those among these that need their files at the platform no more. */
  Set<String> settled(List<String> ids) {
    return ids.isEmpty()
        ? Set.of()
        : Set.copyOf(
            database.read(
                tx ->
                    tx.sql(
                            """
                            select recording_id from recordings where recording_id = any(?)
                              and (status in ('done', 'empty') or deleted_at is not null)
                            """)
                        .with((Object) ids.toArray(String[]::new))
                        .list(resultRow -> resultRow.text("recording_id"))));
  }

  /**
   * The platform's running recordings that its error in a room may be about, those of the room
   * first, then those whose room is not known yet; of each the newest.
   */
  List<RecordingRow> running(String platform, String room, Optional<String> instanceId) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + RecordingRow.COLUMNS
                        + """
                         from recordings
                        where platform = ? and coalesce(room_name, '') in ('', ?)
                          and status = 'in_progress' and kind <> 'bot' and deleted_at is null
                          and (?::text is null or instance_id is null or instance_id = ?)
                        order by coalesce(room_name, '') = '', created_at desc, recording_id desc
                        limit ?
                        """)
                .with(platform, room, instanceId, instanceId, SUSPECTS_MAX)
                .list(RecordingRow::of));
  }

  /**
   * A random sample of a platform's recordings in a status without reports for that long, and of
   * those that run for longer than they may. Random, so that recordings that the platform never
   * answers for do not block the others.
   */
  List<RecordingRow> withoutReportSince(
      String platform, RecordingStatus status, Duration since, Duration longest, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + RecordingRow.COLUMNS
                        + """
                         from recordings where platform = ? and status = ? and kind <> 'bot'
                          and deleted_at is null
                          and (told_at < now() - ? * interval '1 millisecond'
                            or (status = 'in_progress'
                              and state_entered_at < now() - ? * interval '1 millisecond'))
                        order by random() limit ?
                        """)
                .with(platform, status.wireName(), since, longest, limit)
                .list(RecordingRow::of));
  }

  /** The recordings of a meeting of which a run failed, in order. */
  static List<String> failedSyncs(Tx tx, long meetingId) {
    return tx
        .sql(
            "select "
                + RecordingRow.COLUMNS
                + """
                 from recordings
                where meeting_id = ? and status = 'failed' and run > 0 and deleted_at is null
                order by recording_id
                """)
        .with(meetingId)
        .list(RecordingRow::of)
        .stream()
        .map(RecordingRow::id)
        .toList();
  }

  /**
   * Whether a recording of a meeting is synced, or will be. One that has had a run is, also if it
   * failed and may be retried; one without a run came to nothing unless it waits for the platform.
   */
  static boolean syncs(Tx tx, long meetingId) {
    return tx.sql(
            """
            select exists (select from recordings
              where meeting_id = ? and deleted_at is null
                and (run > 0 or status = 'in_progress')) as some
            """)
        .with(meetingId)
        .one(resultRow -> resultRow.booleanAt("some"));
  }

  /** Waits for transactions that move recordings of a meeting, and has later ones wait. */
  static void lock(Tx tx, long meetingId) {
    int _ =
        tx.sql(
                """
                select recording_id from recordings where meeting_id = ?
                order by recording_id for update
                """)
            .with(meetingId)
            .list(resultRow -> 1)
            .size();
  }

  /** Whether a meeting has a recording in one of these states. */
  static boolean some(Tx tx, long meetingId, List<RecordingStatus> states) {
    return tx.sql(
            """
            select exists (select from recordings
              where meeting_id = ? and deleted_at is null and status = any(?)) as some
            """)
        .with(meetingId, states.stream().map(RecordingStatus::wireName).toArray(String[]::new))
        .one(resultRow -> resultRow.booleanAt("some"));
  }

  /** The recordings of a meeting whose notes were sent with another summary, or without one. */
  static List<String> sentWithout(Tx tx, long meetingId, Optional<String> summary) {
    return tx.sql(
            """
            select r.recording_id from recordings r
            join recording_documents d on d.recording_id = r.recording_id and d.step = 'prepare'
            where r.meeting_id = ? and r.status = 'done' and r.deleted_at is null
              and d.body ->> 'summary' is distinct from ?
            order by r.recording_id
            """)
        .with(meetingId, summary)
        .list(resultRow -> resultRow.text("recording_id"));
  }

  /** Claims the listing of a platform if it is due; the first node wins. */
  Optional<Instant> takeListing(String platform, Instant beginning, Duration interval) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into recording_listing as l (platform, seen_until, listed_at)
                    values (?, ?, now())
                    on conflict (platform) do update set listed_at = now()
                    where l.listed_at is null
                       or l.listed_at <= now() - ? * interval '1 millisecond'
                    returning seen_until
                    """)
                .with(platform, beginning, interval)
                .first(resultRow -> resultRow.instant("seen_until")));
  }

  /** Moves the cursor of the listing; never back. */
  void seenUntil(String platform, Instant until) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update recording_listing set seen_until = greatest(seen_until, ?)
                        where platform = ?
                        """)
                    .with(until, platform)
                    .update());
  }

  /** Marks a failed listing, so that the next one is due at once. */
  void listAgain(String platform) {
    int _ =
        database.read(
            tx ->
                tx.sql("update recording_listing set listed_at = null where platform = ?")
                    .with(platform)
                    .update());
  }

  /** Stores a webhook as a dead letter. */
  void deadLetter(String reason, byte[] body) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into dead_letters (source, reason, body)
                        values ('daily-recording', ?, ?)
                        """)
                    .with(reason, body)
                    .update());
  }
}

package io.convoke.server.meetings;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.http.VisibleUsers;
import io.convoke.server.rooms.RoomClaims;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads meeting rows, tracks meetings without a bot, and writes the user's own {@code data}. */
public final class MeetingStore {
  private final Database database;
  private final Journal journal;
  private final RoomClaims rooms;

  /** Writes to the journal, which presence follows, in the transaction of each change. */
  public MeetingStore(Database database, Journal journal, RoomClaims rooms) {
    this.database = database;
    this.journal = journal;
    this.rooms = rooms;
  }

  /** Which meetings to list, newest first. */
  record MeetingFilter(
      Optional<VisibleUsers> users,
      Optional<MeetingStatus> status,
      Optional<String> platform,
      long before,
      int limit) {}

  /** The row, of any user. */
  public Optional<Meeting> find(long id) {
    return database.read(tx -> find(tx, id));
  }

  /** The same within a transaction. */
  public static Optional<Meeting> find(Tx tx, long id) {
    return tx.sql("select " + Meeting.COLUMNS + " from meetings where id = ?")
        .with(id)
        .first(Meeting::of);
  }

  List<Meeting> list(MeetingFilter meetingFilter) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + Meeting.COLUMNS
                        + """
                         from meetings
                        where id < ? and OWNED and (? or status = any(?)) and (? or platform = ?)
                        order by id desc limit ?
                        """
                            .replace(
                                "OWNED", VisibleUsers.condition(meetingFilter.users(), "user_id")))
                .with(
                    meetingFilter.before(),
                    VisibleUsers.parameter(meetingFilter.users()),
                    meetingFilter.status().isEmpty(),
                    meetingFilter.status().map(MeetingStore::storedNames).orElse(new String[0]),
                    meetingFilter.platform().isEmpty(),
                    meetingFilter.platform().orElse(""),
                    meetingFilter.limit())
                .list(Meeting::of));
  }

  /** The row that a request to track adds. */
  private record TrackedRow(long userId, String platform, String nativeId, JsonNode data) {}

  /**
   * Starts recording presence of a meeting without a bot.
   *
   * @throws Problem 403 in a room of another user, 404 without such a user, 409 if it is tracked
   *     already; thrown in the transaction, so that a refusal commits nothing
   */
  Meeting track(
      long userId, String platform, String nativeId, Optional<JsonNode> data, String actor) {
    TrackedRow row =
        new TrackedRow(
            userId, platform, nativeId, data.orElseGet(() -> Json.mapper().createObjectNode()));
    return database.transaction(
        tx -> {
          Optional<Meeting> created =
              RoomClaims.applyTo(platform) ? insertClaiming(tx, row) : insert(tx, row);
          if (created.isEmpty()) {
            Meeting tracked = tracked(tx, userId, platform, nativeId);
            throw Problem.conflict(
                "already_tracked",
                "This meeting is tracked already.",
                Map.of("meeting_id", tracked.id(), "meeting", Json.tree(tracked)));
          }
          Meeting meeting = created.get();
          journal.append(
              tx,
              List.of(
                  new MeetingStatusChange(
                          meeting.id(),
                          userId,
                          Optional.empty(),
                          MeetingStatus.ACTIVE,
                          "tracked",
                          "tracked",
                          actor,
                          1)
                      .event()));
          return meeting;
        });
  }

  private static final String TRACK =
      """
      insert into meetings
        (user_id, platform, platform_specific_id, status, start_time, tracked, data)
      select FIRST, ?, ?, 'active', now(), true, ?::jsonb - 'outcome' from OWNERS
      on conflict (user_id, platform, platform_specific_id)
        where tracked and status = 'active' do nothing
      """
          + "returning "
          + Meeting.COLUMNS;

  private static Optional<Meeting> insert(Tx tx, TrackedRow row) {
    return tx.sql(TRACK.replace("FIRST", "id").replace("OWNERS", "users where id = ?"))
        .with(row.platform(), row.nativeId(), row.data(), row.userId())
        .first(Meeting::of);
  }

  /**
   * Claims the room in the same statement. It locks the user first, as admission does, so that a
   * bot's start and a request to track cannot wait for each other.
   */
  private Optional<Meeting> insertClaiming(Tx tx, TrackedRow row) {
    List<Object> parameters = new ArrayList<>(List.of(row.userId()));
    parameters.addAll(rooms.parameters(row.platform(), row.nativeId(), row.userId()));
    parameters.addAll(List.of(row.platform(), row.nativeId(), row.data()));
    for (int tries = 0; tries < RoomClaims.TRIES; tries++) {
      ClaimedTracking claimedTracking =
          tx.sql(
                  """
                  with asking as materialized (
                    select id as user_id from users where id = ? for key share),
                  CLAIMING,
                  created as (TRACK)
                  select exists (select from asking) as known, (select user_id from owner) as owner,
                    created.*
                  from (values (true)) as always left join created on true
                  """
                      .replace("CLAIMING", RoomClaims.CLAIMING)
                      .replace(
                          "TRACK",
                          TRACK
                              .replace("FIRST", "user_id")
                              .replace("OWNERS", "asking join owner using (user_id)")))
              .with(parameters.toArray())
              .one(ClaimedTracking::of);
      if (!claimedTracking.known()) {
        throw Problem.notFound("user");
      }
      switch (rooms.outcome(claimedTracking.owner(), row.userId())) {
        case OWNED -> {
          return claimedTracking.created();
        }
        case REFUSED -> throw rooms.refused();
        case LOST_RACE -> {}
      }
    }
    throw rooms.refused();
  }

  private record ClaimedTracking(boolean known, Optional<Long> owner, Optional<Meeting> created) {
    static ClaimedTracking of(ResultRow resultRow) {
      return new ClaimedTracking(
          resultRow.booleanAt("known"),
          resultRow.maybeLong("owner"),
          resultRow.maybeLong("id").map(_ -> Meeting.of(resultRow)));
    }
  }

  /** Ends tracking of those of these meetings that are tracked: their rooms are another user's. */
  public void endTracking(Tx tx, List<Long> meetings, String actor) {
    List<MeetingStatusChange> ended =
        tx.sql(
                """
                update meetings set status = 'completed', end_time = now(), updated_at = now(),
                  state_entered_at = now(), version = version + 1
                where id = any(?) and tracked and status = 'active' returning id, user_id
                """)
            .with((Object) meetings.toArray(Long[]::new))
            .list(
                resultRow ->
                    new MeetingStatusChange(
                        resultRow.longAt("id"),
                        resultRow.longAt("user_id"),
                        Optional.of(MeetingStatus.ACTIVE),
                        MeetingStatus.COMPLETED,
                        "room_reassigned",
                        "ended",
                        actor,
                        1));
    if (!ended.isEmpty()) {
      PostMeetingOrder.orderAll(tx, ended.stream().map(MeetingStatusChange::meetingId).toList());
      journal.append(tx, ended.stream().map(MeetingStatusChange::event).toList());
    }
  }

  /** Replaces the user's part of {@code data}; {@code outcome}, which Convoke writes, stays. */
  Optional<Meeting> describe(long id, JsonNode data) {
    return database.transaction(
        tx ->
            tx.sql(
                    """
                    update meetings set data = (?::jsonb - 'outcome')
                      || case when data -> 'outcome' is not null
                        then jsonb_build_object('outcome', data -> 'outcome') else '{}' end
                    where id = ?
                    """
                        + "returning "
                        + Meeting.COLUMNS)
                .with(data, id)
                .first(Meeting::of));
  }

  /** Closes the transcript of an ended meeting with one event; returns its number of segments. */
  public long closeTranscript(long meetingId) {
    return database.transaction(
        tx -> {
          Optional<Long> user =
              tx.sql(
                      """
                      update meetings set transcript_closed_at = now()
                      where id = ? and transcript_closed_at is null returning user_id
                      """)
                  .with(meetingId)
                  .first(resultRow -> resultRow.longAt("user_id"));
          long segments =
              tx.sql("select count(*) as segments from transcriptions where meeting_id = ?")
                  .with(meetingId)
                  .one(resultRow -> resultRow.longAt("segments"));
          if (user.isPresent()) {
            journal.append(
                tx,
                List.of(
                    NewJournalEvent.of(
                        "transcript.closed",
                        MeetingStatusChange.subject(meetingId),
                        user,
                        Map.of("meeting_id", meetingId, "segments", segments))));
          }
          return segments;
        });
  }

  private static Meeting tracked(Tx tx, long userId, String platform, String nativeId) {
    return tx.sql(
            "select "
                + Meeting.COLUMNS
                + """
                 from meetings where user_id = ? and platform = ? and platform_specific_id = ?
                  and tracked and status = 'active'
                """)
        .with(userId, platform, nativeId)
        .first(Meeting::of)
        .orElseThrow(() -> Problem.notFound("user"));
  }

  /** All database values that read as this status. */
  private static String[] storedNames(MeetingStatus status) {
    return switch (status) {
      case RESERVED -> new String[] {"reserved", "requested"};
      case FAILED -> new String[] {"failed", "error"};
      case STARTING, ACTIVE, STOPPING, COMPLETED -> new String[] {status.wireName()};
    };
  }
}

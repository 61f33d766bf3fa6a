package io.convoke.server.schemaimport;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingStatusChange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Copies the rows, in steps of which each fits into memory. Ids and all other values are unchanged,
 * but for what Vexa calls a bot that has not been let in (from 0.6 on), which is {@code starting}
 * here. Only columns that the source lacks are added:
 *
 * <ul>
 *   <li>{@code lobby_since} of a row whose bot waits for admission, or for a person's help with it:
 *       when the row was last touched.
 *   <li>{@code connection_id}: the last session's uid if it has our form, else a new one. No bot of
 *       the old installation can report under it.
 *   <li>{@code state_entered_at}: when the row was last touched, so that deadlines count from then.
 *   <li>{@code start_at} of a row that waits for its launch: when it was created, so that one that
 *       waited too long is not launched.
 *   <li>{@code admitted_at} of a row that was in its meeting.
 * </ul>
 */
final class RowCopier {
  private static final int STEP = 20_000;

  private static final String ON_ITS_WAY =
      "('joining', 'awaiting_admission', 'needs_human_help', 'needs_help')";
  private static final String IN_LOBBY = "('awaiting_admission', 'needs_human_help', 'needs_help')";
  private static final String UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

  private final Tx tx;
  private final SourceSchemaReader sourceSchemaReader;
  private final SourceSchema sourceSchema;

  RowCopier(Tx tx, SourceSchemaReader sourceSchemaReader, SourceSchema sourceSchema) {
    this.tx = tx;
    this.sourceSchemaReader = sourceSchemaReader;
    this.sourceSchema = sourceSchema;
  }

  /** Copies everything and answers how many rows of each table. */
  Map<String, Long> all(Journal journal) {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("users", table("users", users()));
    counts.put("meetings", meetings(journal));
    counts.put("meeting_sessions", table("meeting_sessions", sessions()));
    counts.put("transcriptions", table("transcriptions", transcriptions()));
    return counts;
  }

  /** Our columns, each with the expression that fills it. */
  private Map<String, String> users() {
    Map<String, String> columns = plain("users", "id", "email", "name", "image_url", "data");
    // greatest ignores null, and null means that there is no limit.
    columns.put(
        "max_concurrent_bots",
        "case when s.max_concurrent_bots is not null then greatest(s.max_concurrent_bots, 0) end");
    columns.put("created_at", "coalesce(" + read("users", "created_at") + ", now())");
    return columns;
  }

  private Map<String, String> meetingColumns() {
    String created = "coalesce(" + read("meetings", "created_at") + ", now())";
    String touched = "coalesce(" + read("meetings", "updated_at") + ", " + created + ")";
    Map<String, String> columns =
        plain("meetings", "id", "user_id", "bot_container_id", "start_time", "end_time", "data");
    columns.put(
        "status",
        "case when s.status::text in " + ON_ITS_WAY + " then 'starting' else s.status::text end");
    columns.put(
        "lobby_since", "case when s.status::text in " + IN_LOBBY + " then " + touched + " end");
    columns.put("platform", "coalesce(" + read("meetings", "platform") + ", '')");
    columns.put(
        "platform_specific_id", "coalesce(" + read("meetings", "platform_specific_id") + ", '')");
    columns.put("created_at", created);
    columns.put("updated_at", touched);
    columns.put("state_entered_at", touched);
    columns.put(
        "connection_id",
        """
        coalesce((select m.session_uid::text from %s m
                  where m.meeting_id = s.id and m.session_uid::text ~ '%s'
                  order by m.id desc limit 1), gen_random_uuid()::text)
        """
            .formatted(sourceSchemaReader.table("meeting_sessions"), UUID));
    columns.put(
        "start_at",
        "case when s.status::text in ('requested', 'reserved') and s.bot_container_id is null then "
            + created
            + " end");
    columns.put(
        "admitted_at",
        "case when s.status::text in ('active', 'stopping', 'completed') then coalesce("
            + read("meetings", "start_time")
            + ", "
            + created
            + ") end");
    columns.put("adopted", "true");
    return columns;
  }

  private Map<String, String> sessions() {
    Map<String, String> columns = plain("meeting_sessions", "id", "meeting_id", "session_uid");
    columns.put(
        "session_start_time",
        "coalesce(" + read("meeting_sessions", "session_start_time") + ", now())");
    return columns;
  }

  private Map<String, String> transcriptions() {
    Map<String, String> columns =
        plain(
            "transcriptions",
            "id",
            "meeting_id",
            "start_time",
            "end_time",
            "text",
            "speaker",
            "language",
            "session_uid");
    columns.put("created_at", "coalesce(" + read("transcriptions", "created_at") + ", now())");
    columns.put("adopted", "true");
    return columns;
  }

  private Map<String, String> plain(String table, String... names) {
    return Stream.of(names)
        .collect(
            Collectors.toMap(
                name -> name, name -> read(table, name), (a, _) -> a, LinkedHashMap::new));
  }

  private String read(String table, String column) {
    return sourceSchema.read(table, column);
  }

  private long table(String name, Map<String, String> columns) {
    long copied = 0;
    long after = Long.MIN_VALUE;
    Optional<Long> upTo = step(name, after);
    while (upTo.isPresent()) {
      copied += copy(name, columns, after, upTo.get());
      after = upTo.get();
      upTo = step(name, after);
    }
    count(name);
    return copied;
  }

  /**
   * The meetings, each with its first row in the journal, and nothing left to do for those over.
   */
  private long meetings(Journal journal) {
    Map<String, String> columns = meetingColumns();
    long copied = 0;
    long after = Long.MIN_VALUE;
    Optional<Long> upTo = step("meetings", after);
    while (upTo.isPresent()) {
      copied += copy("meetings", columns, after, upTo.get());
      journal.append(tx, beginnings(after, upTo.get()));
      int _ =
          tx.sql(
                  """
                  insert into post_meeting (meeting_id, ordered_at, taken_at)
                  select id, coalesce(end_time, updated_at), now() from meetings
                  where id > ? and id <= ? and status in ('completed', 'failed', 'error')
                  """)
              .with(after, upTo.get())
              .update();
      after = upTo.get();
      upTo = step("meetings", after);
    }
    count("meetings");
    return copied;
  }

  private List<NewJournalEvent> beginnings(long after, long upTo) {
    return tx.sql("select id, user_id, status from meetings where id > ? and id <= ? order by id")
        .with(after, upTo)
        .list(
            resultRow ->
                new MeetingStatusChange(
                        resultRow.longAt("id"),
                        resultRow.longAt("user_id"),
                        Optional.empty(),
                        MeetingStatus.of(resultRow.text("status")),
                        "adopted",
                        "adopted",
                        "migrate",
                        1)
                    .event());
  }

  private Optional<Long> step(String name, long after) {
    return tx.sql(
            "select max(id)::bigint as id from (select id from "
                + sourceSchemaReader.table(name)
                + " where id > ? order by id limit "
                + STEP
                + ") step")
        .with(after)
        .one(resultRow -> resultRow.maybeLong("id"));
  }

  private int copy(String name, Map<String, String> columns, long after, long upTo) {
    return tx.sql(
            "insert into %s (%s) overriding system value select %s from %s s where s.id > ? and s.id <= ?"
                .formatted(
                    name,
                    String.join(", ", columns.keySet()),
                    String.join(", ", columns.values()),
                    sourceSchemaReader.table(name)))
        .with(after, upTo)
        .update();
  }

  /** New rows take ids after those that were copied. */
  private void count(String name) {
    long _ =
        tx.sql(
                "select setval(pg_get_serial_sequence(?, 'id'), (select coalesce(max(id), 0) + 1"
                    + " from "
                    + name
                    + "), false) as next")
            .with("convoke." + name)
            .one(resultRow -> resultRow.longAt("next"));
  }
}

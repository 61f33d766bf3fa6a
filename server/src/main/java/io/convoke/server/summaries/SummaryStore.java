package io.convoke.server.summaries;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.MeetingStatusChange;
import io.convoke.server.meetings.Segment;
import io.convoke.server.summaries.SummaryPrompt.CitedSummary;
import io.convoke.server.summaries.SummaryPrompt.ParsedAnswer;
import io.convoke.server.summaries.SummaryPrompt.SummaryCitation;
import io.convoke.server.summaries.SummaryPrompt.SummaryLine;
import io.convoke.server.trace.Traceparent;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The rows of {@code meeting_summaries}. Each change of the status appends an event in the same
 * transaction, without the text; a run that is over changes nothing.
 */
public final class SummaryStore {
  /** The type of the events. */
  static final String EVENT = "summary.status_changed";

  private static final Pattern MARKS = Pattern.compile(" ?\\[\\d+]");
  private static final int LINES_MAX = 20_000;
  private static final int WHY_MAX = 500;
  private static final String COLUMNS =
      "meeting_id, run, status, attempts, text, citations, rejected, summarizer, error, updated_at";

  private final Database database;
  private final Journal journal;

  SummaryStore(Database database, Journal journal) {
    this.database = database;
    this.journal = journal;
  }

  /** The status of the last run. */
  enum SummaryStatus {
    /** No run has been started. */
    NONE,
    WAITING,
    RUNNING,
    DONE,
    FAILED,
    /** The transcript had no words, or none of which the model said anything. */
    EMPTY,
    /** It was deleted together with a recording. */
    DELETED
  }

  /**
   * One run of a meeting's summary.
   *
   * @param run counts from 1
   */
  record SummaryRun(long meetingId, int run) {
    /** The workflow's name; {@code meeting-summary-42} is the first run for meeting 42. */
    static final String WORKFLOW = "meeting-summary";

    String instance() {
      return WORKFLOW + "-" + meetingId + (run == 1 ? "" : "-" + run);
    }
  }

  /**
   * A summary as the API shows it: the status of the last run, and the text of the last one that
   * was done.
   *
   * @param citations of the marks in the text, in the order of their first use
   * @param rejected how many lines the model cited that do not exist
   */
  record SummaryView(
      long meetingId,
      SummaryStatus status,
      int run,
      int attempts,
      Optional<String> text,
      List<SummaryCitation> citations,
      int rejected,
      Optional<String> summarizer,
      Optional<String> error,
      Optional<Instant> updatedAt) {

    static SummaryView none(long meetingId) {
      return new SummaryView(
          meetingId,
          SummaryStatus.NONE,
          0,
          0,
          Optional.empty(),
          List.of(),
          0,
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
    }
  }

  /** The text of a meeting's summary without its marks, if there is one. */
  public static Optional<String> plainText(Tx tx, long meetingId) {
    return tx.sql("select text from meeting_summaries where meeting_id = ? and text is not null")
        .with(meetingId)
        .first(resultRow -> MARKS.matcher(resultRow.text("text")).replaceAll(""));
  }

  /** Deletes a meeting's summary, because words that it may be of are deleted. */
  public static void forget(Tx tx, Journal journal, long meetingId, String actor) {
    tx.sql(
            """
            update meeting_summaries set run = run + 1, status = 'deleted', text = null,
              citations = '[]', parts = '{}', rejected = 0, error = null, updated_at = now()
            where meeting_id = ? and status <> 'deleted'
            returning\s"""
                + COLUMNS)
        .with(meetingId)
        .first(SummaryStore::view)
        .ifPresent(view -> append(tx, journal, view, actor));
  }

  /** Starts a run of a meeting that exists, and its workflow. */
  SummaryView start(Tx tx, long meetingId, String actor) {
    SummaryView view =
        tx.sql(
                """
                insert into meeting_summaries (meeting_id) values (?)
                on conflict (meeting_id) do update set run = meeting_summaries.run + 1,
                  status = 'waiting', attempts = 0, parts = '{}', error = null, updated_at = now()
                returning\s"""
                    + COLUMNS)
            .with(meetingId)
            .one(SummaryStore::view);
    SummaryRun run = new SummaryRun(meetingId, view.run());
    tx.run(
        List.of(
            tx.sql(
                    """
                    insert into workflow_owners (instance_id, user_id, meeting_id)
                    select ?, user_id, id from meetings where id = ? on conflict do nothing
                    """)
                .with(run.instance(), meetingId),
            Durable.starting(tx, SummaryRun.WORKFLOW, run.instance(), run, Traceparent.current())));
    append(tx, journal, view, actor);
    return view;
  }

  /** The summary of a meeting. */
  SummaryView find(long meetingId) {
    return database.read(
        tx ->
            tx.sql("select " + COLUMNS + " from meeting_summaries where meeting_id = ?")
                .with(meetingId)
                .first(SummaryStore::view)
                .orElseGet(() -> SummaryView.none(meetingId)));
  }

  /** An attempt of a run begins; false if the run is over. */
  boolean begin(SummaryRun run) {
    return moved(run, "running", "attempts = attempts + 1", Optional.empty());
  }

  /**
   * How a run has ended: {@code done}, {@code failed} or {@code empty}; {@code over} if another one
   * followed or its words were deleted. An attempt may have committed that without an answer.
   */
  String end(SummaryRun run) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select status from meeting_summaries
                    where meeting_id = ? and run = ? and status in ('done', 'failed', 'empty')
                    """)
                .with(run.meetingId(), run.run())
                .first(resultRow -> resultRow.text("status"))
                .orElse("over"));
  }

  /** What the model said of a part, if a run keeps it under this key. */
  Optional<ParsedAnswer> part(SummaryRun run, String key) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select parts -> ?::text as part from meeting_summaries
                    where meeting_id = ? and run = ?
                    """)
                .with(key, run.meetingId(), run.run())
                .first(resultRow -> resultRow.maybeJson("part"))
                .flatMap(part -> part.map(json -> Json.read(json, ParsedAnswer.class))));
  }

  /** Keeps what the model said of a part until the run ends; false if it is over. */
  boolean keep(SummaryRun run, String key, ParsedAnswer answer) {
    return database.transaction(
        tx ->
            tx.sql(
                        """
                        update meeting_summaries
                        set parts = parts || jsonb_build_object(?::text, ?::jsonb)
                        where meeting_id = ? and run = ? and status = 'running'
                        """)
                    .with(key, Json.tree(answer), run.meetingId(), run.run())
                    .update()
                == 1);
  }

  /** The run is done; false if it was over. */
  boolean done(SummaryRun run, CitedSummary summary, int rejected, String summarizer) {
    return database.transaction(
        tx -> {
          Optional<SummaryView> view =
              tx.sql(
                      """
                      update meeting_summaries set status = 'done', text = ?, citations = ?,
                        parts = '{}', rejected = ?, summarizer = ?, error = null, updated_at = now()
                      where meeting_id = ? and run = ? and status in ('waiting', 'running')
                      returning\s"""
                          + COLUMNS)
                  .with(
                      summary.text(),
                      Json.tree(summary.citations()),
                      rejected,
                      summarizer,
                      run.meetingId(),
                      run.run())
                  .first(SummaryStore::view);
          view.ifPresent(it -> append(tx, journal, it, "workflow"));
          return view.isPresent();
        });
  }

  /** There are no words to summarize. */
  boolean empty(SummaryRun run) {
    return moved(
        run,
        "empty",
        "text = null, citations = '[]', parts = '{}', rejected = 0",
        Optional.empty());
  }

  /** The model says nothing of the words; the text of an earlier run stays. */
  boolean nothingToTell(SummaryRun run) {
    return moved(run, "empty", "parts = '{}'", Optional.empty());
  }

  /** The run failed for good. */
  boolean failed(SummaryRun run, String why) {
    return moved(run, "failed", "parts = '{}'", Optional.of(shortened(why)));
  }

  /** An attempt failed, and another one follows. */
  void troubled(SummaryRun run, String why) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update meeting_summaries set error = ?, updated_at = now()
                      where meeting_id = ? and run = ? and status = 'running'
                      """)
                  .with(shortened(why), run.meetingId(), run.run())
                  .update();
        });
  }

  /** Whether a meeting has completed segments. */
  boolean heard(long meetingId) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select exists (
                      select from transcriptions where meeting_id = ? and completed) as heard
                    """)
                .with(meetingId)
                .one(resultRow -> resultRow.booleanAt("heard")));
  }

  /**
   * The completed segments in the order in which they were said: those of recordings, or, where
   * there are none, those of bots.
   */
  List<SummaryLine> lines(long meetingId) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    with said as (
                      select t.id, t.start_time, TEXT as text, SPEAKER as speaker,
                        t.session_uid like 'recording:%' as recorded,
                        extract(epoch from coalesce(s.session_start_time, r.start_time))::float8 as began
                      from transcriptions t
                      left join meeting_sessions s
                        on s.session_uid = t.session_uid and s.meeting_id = t.meeting_id
                      left join recordings r
                        on r.recording_id = substr(t.session_uid, 11) and r.meeting_id = t.meeting_id
                          and t.session_uid like 'recording:%'
                      where t.meeting_id = ? and t.completed)
                    select id, start_time, text, speaker,
                      start_time + coalesce(began - min(began) over (), 0) as at
                    from said
                    where coalesce(recorded, false) = (select coalesce(bool_or(recorded), false) from said)
                    order by at, id limit ?
                    """
                        .replace("SPEAKER", Segment.speaker("t"))
                        .replace("TEXT", Segment.text("t")))
                .with(meetingId, LINES_MAX)
                .list(
                    resultRow ->
                        new SummaryLine(
                            resultRow.longAt("id"),
                            resultRow.doubleAt("start_time"),
                            resultRow.doubleAt("at"),
                            resultRow.maybeText("speaker"),
                            resultRow.text("text"))));
  }

  private boolean moved(SummaryRun run, String status, String also, Optional<String> error) {
    return database.transaction(
        tx -> {
          Optional<String> before =
              tx.sql(
                      """
                      select status from meeting_summaries
                      where meeting_id = ? and run = ? and status in ('waiting', 'running')
                      for update
                      """)
                  .with(run.meetingId(), run.run())
                  .first(resultRow -> resultRow.text("status"));
          if (before.isEmpty()) {
            return false;
          }
          SummaryView view =
              tx.sql(
                      """
                      update meeting_summaries
                      set status = ?, error = ?, updated_at = now(), ALSO where meeting_id = ?
                      returning\s"""
                              .replace("ALSO", also)
                          + COLUMNS)
                  .with(status, error, run.meetingId())
                  .one(SummaryStore::view);
          if (!before.get().equals(status)) {
            append(tx, journal, view, "workflow");
          }
          return true;
        });
  }

  private static void append(Tx tx, Journal journal, SummaryView view, String actor) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", view.meetingId());
    data.put("run", view.run());
    data.put("to", view.status());
    data.put("error", view.error());
    data.put("actor", actor);
    Optional<Long> owner =
        tx.sql("select user_id from meetings where id = ?")
            .with(view.meetingId())
            .one(resultRow -> resultRow.maybeLong("user_id"));
    journal.append(
        tx,
        List.of(
            NewJournalEvent.of(EVENT, MeetingStatusChange.subject(view.meetingId()), owner, data)));
  }

  private static SummaryView view(ResultRow resultRow) {
    return new SummaryView(
        resultRow.longAt("meeting_id"),
        SummaryStatus.valueOf(resultRow.text("status").toUpperCase(java.util.Locale.ROOT)),
        resultRow.intAt("run"),
        resultRow.intAt("attempts"),
        resultRow.maybeText("text"),
        List.of(Json.read(resultRow.json("citations"), SummaryCitation[].class)),
        resultRow.intAt("rejected"),
        resultRow.maybeText("summarizer"),
        resultRow.maybeText("error"),
        Optional.of(resultRow.instant("updated_at")));
  }

  private static String shortened(String text) {
    String clean = text.replace("\0", "");
    return clean.substring(0, Math.min(clean.length(), WHY_MAX));
  }
}

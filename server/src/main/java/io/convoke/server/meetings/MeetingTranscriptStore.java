package io.convoke.server.meetings;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.Segment.SegmentToken;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stores transcript segments in batches, and appends the segments that a batch added or changed to
 * the journal in the same transaction, as {@code transcript.segments}. Words belong to a session: a
 * bot's connection, or {@code recording:{id}}.
 */
public final class MeetingTranscriptStore {
  /** The type of the event. */
  public static final String TYPE = "transcript.segments";

  /**
   * Bytes of JSON that the segments of one event may have, so that it has 64 KiB at most with the
   * rest; a larger batch makes several.
   */
  private static final int SEGMENTS_BYTES_MAX = 63 * 1024;

  private static final String RECORDING = "recording:";
  private static final int ROWS_MAX = 1000;

  private final Journal journal;

  /** Appends to this journal. */
  public MeetingTranscriptStore(Journal journal) {
    this.journal = journal;
  }

  /**
   * A segment, with start and end in seconds of the session; a draft is not completed.
   *
   * @param confidence from 0 to 1, where it is known
   * @param words with their times, where they are known
   * @param levelDb as {@link Segment} has it
   */
  public record StoredSegment(
      double start,
      double end,
      String text,
      Optional<String> speaker,
      Optional<String> language,
      boolean completed,
      Optional<Double> confidence,
      List<SegmentToken> words,
      Optional<Double> levelDb) {
    public StoredSegment {
      words = List.copyOf(words);
    }

    /** Without confidence, words and level. */
    public StoredSegment(
        double start,
        double end,
        String text,
        Optional<String> speaker,
        Optional<String> language,
        boolean completed) {
      this(
          start,
          end,
          text,
          speaker,
          language,
          completed,
          Optional.empty(),
          List.of(),
          Optional.empty());
    }

    /** What was said, and when, without how it was recognised. */
    private StoredSegment plain() {
      return new StoredSegment(start, end, text, speaker, language, completed);
    }
  }

  /**
   * The data of an event.
   *
   * @param replaces whether all earlier segments of the session are void
   */
  record Stored(long meetingId, String sessionUid, boolean replaces, List<Segment> segments) {}

  /** The owner of a meeting and the start of one of its sessions. */
  private record TranscriptSession(Optional<Long> userId, Optional<Instant> began) {}

  /** The place of a segment in its session, which has one segment there. */
  public record SegmentPlace(double start, Optional<String> speaker) {}

  /**
   * A stored segment that gets another speaker.
   *
   * @param former its speaker until now
   * @param now the segment with the new one, at the same start
   */
  public record NamedSegment(Optional<String> former, StoredSegment now) {}

  /** The session of a recording's transcript. */
  public static String ofRecording(String recordingId) {
    return RECORDING + recordingId;
  }

  /**
   * Stores the segments of a bot. A session has one segment for each start and speaker: a later
   * segment replaces a stored draft, a completed segment is unchanged. Batches of one session wait
   * for each other, so their events have the order in which they were stored.
   */
  public void hear(Tx tx, long meetingId, String sessionUid, List<StoredSegment> batch) {
    lockSession(tx, meetingId, sessionUid);
    List<StoredSegment> latestSegments = latest(batch);
    TranscriptSession transcriptSession = session(tx, meetingId, sessionUid);
    List<Object> values = new ArrayList<>(saidArrays(latestSegments));
    boolean _ = values.add(decimals(latestSegments, StoredSegment::levelDb));
    values.addAll(List.of(meetingId, sessionUid, meetingId, sessionUid, meetingId));
    values.addAll(List.of(meetingId, sessionUid));
    List<Segment> stored =
        tx.sql(
                """
                with s as (
                  select * from unnest(?::float8[], ?::float8[], ?::text[], ?::text[], ?::text[], ?::boolean[],
                      ?::float8[])
                    as s (start_time, end_time, text, speaker, language, completed, level_db)),
                changed as (
                  update transcriptions t
                  set end_time = s.end_time, text = s.text, language = s.language, completed = s.completed,
                    level_db = s.level_db
                  from s
                  where t.meeting_id = ? and t.session_uid = ? and t.start_time = s.start_time
                    and t.speaker is not distinct from s.speaker and not t.completed
                    and (t.end_time, t.text, t.language, t.completed)
                      is distinct from (s.end_time, s.text, s.language, s.completed)
                  returning t.*),
                added as (
                  insert into transcriptions
                    (meeting_id, session_uid, start_time, end_time, text, speaker, language, completed,
                     level_db, shown_speaker)
                  select ?, ?, s.*, (
                    select name from transcript_speakers n
                    where n.meeting_id = ? and n.speaker = s.speaker)
                  from s
                  where not exists (
                    select from transcriptions t where t.meeting_id = ? and t.session_uid = ?
                      and t.start_time = s.start_time and t.speaker is not distinct from s.speaker)
                  on conflict do nothing
                  returning *)
                select COLUMNS from (select * from changed union all select * from added) as stored
                order by start_time, id
                """
                    .replace("COLUMNS", Segment.columns("stored")))
            .with(values.toArray())
            .list(resultRow -> Segment.of(resultRow, transcriptSession.began()));
    appendEvent(tx, transcriptSession, meetingId, sessionUid, false, stored);
    if (!stored.isEmpty()) {
      spoke(tx, meetingId);
    }
  }

  /**
   * Gives stored segments of a bot other speakers. They keep their ids and what people corrected. A
   * segment whose new place another one has stays as it is.
   */
  public void name(Tx tx, long meetingId, String sessionUid, List<NamedSegment> named) {
    lockSession(tx, meetingId, sessionUid);
    TranscriptSession transcriptSession = session(tx, meetingId, sessionUid);
    List<StoredSegment> now = named.stream().map(NamedSegment::now).toList();
    List<Object> values = new ArrayList<>(saidArrays(now));
    boolean _ = values.add(texts(named.stream().map(NamedSegment::former).toList()));
    values.addAll(List.of(meetingId, sessionUid));
    List<Segment> stored =
        tx.sql(
                """
                with named as (
                  update transcriptions t
                  set end_time = s.end_time, text = s.text, speaker = s.speaker, language = s.language,
                    completed = s.completed, shown_speaker = coalesce(
                      case when t.shown_speaker is distinct from (
                        select name from transcript_speakers n
                        where n.meeting_id = t.meeting_id and n.speaker = t.speaker)
                      then t.shown_speaker end,
                      (select name from transcript_speakers n
                        where n.meeting_id = t.meeting_id and n.speaker = s.speaker))
                  from unnest(?::float8[], ?::float8[], ?::text[], ?::text[], ?::text[], ?::boolean[],
                      ?::text[])
                    as s (start_time, end_time, text, speaker, language, completed, former)
                  where t.meeting_id = ? and t.session_uid = ? and t.start_time = s.start_time
                    and t.speaker is not distinct from s.former
                    and not exists (
                      select from transcriptions o
                      where o.meeting_id = t.meeting_id and o.session_uid = t.session_uid
                        and o.start_time = s.start_time and o.speaker is not distinct from s.speaker)
                  returning t.*)
                select COLUMNS from named order by start_time, id
                """
                    .replace("COLUMNS", Segment.columns("named")))
            .with(values.toArray())
            .list(resultRow -> Segment.of(resultRow, transcriptSession.began()));
    appendEvent(tx, transcriptSession, meetingId, sessionUid, false, stored);
  }

  /** Has batches of a session wait for each other, and renames of speakers for them. */
  private static void lockSession(Tx tx, long meetingId, String sessionUid) {
    var _ =
        tx.sql(
                """
                select (select id from meeting_sessions where session_uid = ? for no key update) as id,
                  pg_advisory_xact_lock_shared(hashtextextended('convoke.speakers', ?)) as speakers
                """)
            .with(sessionUid, meetingId)
            .first(resultRow -> resultRow.maybeLong("id"));
  }

  /** Speech shows that the bot hears its meeting. Written at most every five seconds. */
  private static void spoke(Tx tx, long meetingId) {
    int _ =
        tx.sql(
                """
                update meetings set spoke_at = now(),
                  progressed_at = case when progressed_at is not null then now() end,
                  stalled_at = null
                where id = ? and (spoke_at is null or spoke_at < now() - interval '5 s')
                """)
            .with(meetingId)
            .update();
  }

  /**
   * Waits for transactions that store segments of a meeting, and has later ones wait: they read the
   * names of speakers, so a rename in between would leave out what they store. The row of the
   * meeting is locked first, as where its bot changes and speaks in one transaction.
   */
  public static void lockSpeakers(Tx tx, long meetingId) {
    int _ =
        tx.sql(
                """
                select pg_advisory_xact_lock(hashtextextended('convoke.speakers', m.id))
                from (select id from meetings where id = ? for key share) as m
                """)
            .with(meetingId)
            .list(resultRow -> 1)
            .size();
  }

  private static void shareSpeakers(Tx tx, long meetingId) {
    int _ =
        tx.sql("select pg_advisory_xact_lock_shared(hashtextextended('convoke.speakers', ?))")
            .with(meetingId)
            .list(resultRow -> 1)
            .size();
  }

  /** Adds completed segments of a recording; each is new. */
  public void add(Tx tx, long meetingId, String sessionUid, List<StoredSegment> segments) {
    shareSpeakers(tx, meetingId);
    TranscriptSession transcriptSession = session(tx, meetingId, sessionUid);
    List<Segment> added = insert(tx, transcriptSession, meetingId, sessionUid, segments);
    appendEvent(tx, transcriptSession, meetingId, sessionUid, false, added);
  }

  /**
   * Replaces the segments of a session. When all stored ones are among them, only the missing ones
   * are added, and words and confidences of the others are updated; otherwise all are stored anew,
   * and the event says that it replaces the others.
   */
  public void replace(Tx tx, long meetingId, String sessionUid, List<StoredSegment> segments) {
    shareSpeakers(tx, meetingId);
    Optional<List<StoredSegment>> missing = missing(stored(tx, meetingId, sessionUid), segments);
    if (missing.isPresent()) {
      recognised(tx, meetingId, sessionUid, segments);
      add(tx, meetingId, sessionUid, missing.get());
      return;
    }
    int _ = delete(tx, meetingId, sessionUid).update();
    TranscriptSession transcriptSession = session(tx, meetingId, sessionUid);
    List<Segment> added = insert(tx, transcriptSession, meetingId, sessionUid, segments);
    appendEvent(tx, transcriptSession, meetingId, sessionUid, true, added);
  }

  /**
   * Deletes segments that a bot took back; if there were any, an event replaces the session by its
   * other segments.
   */
  public void withdraw(Tx tx, long meetingId, String sessionUid, List<SegmentPlace> places) {
    int gone =
        tx.sql(
                """
                delete from transcriptions t using unnest(?::float8[], ?::text[]) as s (start_time, speaker)
                where t.meeting_id = ? and t.session_uid = ? and t.start_time = s.start_time
                  and t.speaker is not distinct from s.speaker
                """)
            .with(
                places.stream().map(SegmentPlace::start).toArray(Double[]::new),
                texts(places.stream().map(SegmentPlace::speaker).toList()),
                meetingId,
                sessionUid)
            .update();
    if (gone > 0) {
      TranscriptSession transcriptSession = session(tx, meetingId, sessionUid);
      List<Segment> left =
          tx.sql(
                  "select "
                      + Segment.columns("t")
                      + """
                       from transcriptions t
                      where t.meeting_id = ? and t.session_uid = ? order by t.start_time, t.id
                      """)
              .with(meetingId, sessionUid)
              .list(resultRow -> Segment.of(resultRow, transcriptSession.began()));
      appendEvent(tx, transcriptSession, meetingId, sessionUid, true, left);
    }
  }

  /** Appends an event with a segment that a person corrected, and returns it. */
  public Segment appendCorrected(Tx tx, long meetingId, long segmentId) {
    Segment segment = segment(tx, meetingId, segmentId);
    String sessionUid = segment.sessionUid().orElse("");
    appendEvent(
        tx, session(tx, meetingId, sessionUid), meetingId, sessionUid, false, List.of(segment));
    return segment;
  }

  /** A stored segment. */
  public Segment segment(Tx tx, long meetingId, long segmentId) {
    return tx.sql("select " + Segment.columns("t") + " from transcriptions t where t.id = ?")
        .with(segmentId)
        .one(
            resultRow ->
                Segment.of(
                    resultRow,
                    session(tx, meetingId, resultRow.maybeText("session_uid").orElse("")).began()));
  }

  /**
   * Deletes the segments of a session, also from the events and deliveries that carried them, and
   * appends an event that voids them, if there were any. The type of deliveries is written out,
   * because their index has deliveries of that type alone.
   */
  public void forget(Tx tx, long meetingId, String sessionUid) {
    boolean some = delete(tx, meetingId, sessionUid).update() > 0;
    String subject = MeetingStatusChange.subject(meetingId);
    tx.run(
        List.of(
            tx.sql(
                    """
                    update events set data = jsonb_set(data, '{segments}', '[]')
                    where type = ? and subject = ? and data ->> 'session_uid' = ?
                    """)
                .with(TYPE, subject, sessionUid),
            tx.sql(
                    """
                    update webhook_deliveries
                    set body = jsonb_set(body::jsonb, '{data,segments}', '[]')::text
                    where type = 'transcript.segments' and subject = ?
                      and body::jsonb #>> '{data,session_uid}' = ?
                    """)
                .with(subject, sessionUid)));
    appendEvent(tx, session(tx, meetingId, sessionUid), meetingId, sessionUid, some, List.of());
  }

  /**
   * The segments that are not stored, each as often as it is there; empty if a stored one is not
   * among them. Linear: Postgres ends a transaction whose next statement does not come in time.
   *
   * @param stored what was said, and when
   */
  static Optional<List<StoredSegment>> missing(
      List<StoredSegment> stored, List<StoredSegment> segments) {
    Map<StoredSegment, Integer> left = new HashMap<>();
    for (StoredSegment row : stored) {
      int _ = left.merge(row, 1, Integer::sum);
    }
    List<StoredSegment> missing = new ArrayList<>();
    for (StoredSegment segment : segments) {
      if (left.merge(segment.plain(), -1, Integer::sum) < 0) {
        missing.add(segment);
      }
    }
    return left.values().stream().anyMatch(times -> times > 0)
        ? Optional.empty()
        : Optional.of(missing);
  }

  /** One segment for each start and speaker: the first completed one, or else the last draft. */
  static List<StoredSegment> latest(List<StoredSegment> batch) {
    Map<SegmentPlace, StoredSegment> places = new LinkedHashMap<>();
    for (StoredSegment storedSegment : batch) {
      var _ =
          places.merge(
              new SegmentPlace(storedSegment.start(), storedSegment.speaker()),
              storedSegment,
              (before, after) -> before.completed() ? before : after);
    }
    return List.copyOf(places.values());
  }

  /** The segments in their order, cut where an event would become too large. */
  static List<List<Segment>> packs(List<Segment> segments) {
    List<List<Segment>> packs = new ArrayList<>();
    int from = 0;
    int bytes = 0;
    for (int i = 0; i < segments.size(); i++) {
      int more = Json.bytes(segments.get(i)).length + 1;
      if (i > from && bytes + more > SEGMENTS_BYTES_MAX) {
        packs.add(segments.subList(from, i));
        from = i;
        bytes = 0;
      }
      bytes += more;
    }
    packs.add(segments.subList(from, segments.size()));
    return packs;
  }

  private void appendEvent(
      Tx tx,
      TranscriptSession transcriptSession,
      long meetingId,
      String sessionUid,
      boolean replaces,
      List<Segment> segments) {
    if (segments.isEmpty() && !replaces) {
      return;
    }
    List<NewJournalEvent> events = new ArrayList<>();
    for (List<Segment> pack : packs(segments)) {
      Stored data = new Stored(meetingId, sessionUid, replaces && events.isEmpty(), pack);
      events.add(
          NewJournalEvent.of(
              TYPE, MeetingStatusChange.subject(meetingId), transcriptSession.userId(), data));
    }
    journal.append(tx, events);
  }

  private static List<Segment> insert(
      Tx tx,
      TranscriptSession transcriptSession,
      long meetingId,
      String sessionUid,
      List<StoredSegment> segments) {
    List<Segment> added = new ArrayList<>();
    for (int from = 0; from < segments.size(); from += ROWS_MAX) {
      List<Object> values = new ArrayList<>(List.of(meetingId, sessionUid, meetingId));
      List<StoredSegment> part = segments.subList(from, Math.min(segments.size(), from + ROWS_MAX));
      values.addAll(saidArrays(part));
      values.addAll(recognisedArrays(part));
      added.addAll(
          tx.sql(
                  """
                  insert into transcriptions
                    (meeting_id, session_uid, start_time, end_time, text, speaker, language, completed,
                     shown_speaker, confidence, words)
                  select ?, ?, s.start_time, s.end_time, s.text, s.speaker, s.language, s.completed, (
                    select name from transcript_speakers n
                    where n.meeting_id = ? and n.speaker = s.speaker), s.confidence, s.words::jsonb
                  from unnest(?::float8[], ?::float8[], ?::text[], ?::text[], ?::text[], ?::boolean[],
                      ?::float8[], ?::text[])
                    as s (start_time, end_time, text, speaker, language, completed, confidence, words)
                  on conflict do nothing
                  """
                      + "returning "
                      + Segment.columns("transcriptions"))
              .with(values.toArray())
              .list(resultRow -> Segment.of(resultRow, transcriptSession.began())));
    }
    return added;
  }

  /** Updates how stored segments were recognised, where they have the same words and times. */
  private static void recognised(
      Tx tx, long meetingId, String sessionUid, List<StoredSegment> segments) {
    for (int from = 0; from < segments.size(); from += ROWS_MAX) {
      List<StoredSegment> part = segments.subList(from, Math.min(segments.size(), from + ROWS_MAX));
      List<Object> values = new ArrayList<>(saidArrays(part));
      values.addAll(recognisedArrays(part));
      values.addAll(List.of(meetingId, sessionUid));
      int _ =
          tx.sql(
                  """
                  update transcriptions t set confidence = s.confidence, words = s.words::jsonb
                  from unnest(?::float8[], ?::float8[], ?::text[], ?::text[], ?::text[], ?::boolean[],
                      ?::float8[], ?::text[])
                    as s (start_time, end_time, text, speaker, language, completed, confidence, words)
                  where t.meeting_id = ? and t.session_uid = ? and t.start_time = s.start_time
                    and t.end_time = s.end_time and t.text = s.text
                    and t.speaker is not distinct from s.speaker
                    and (t.confidence, t.words) is distinct from (s.confidence, s.words::jsonb)
                  """)
              .with(values.toArray())
              .update();
    }
  }

  private static List<StoredSegment> stored(Tx tx, long meetingId, String sessionUid) {
    return tx.sql(
            """
            select start_time, end_time, text, speaker, language, completed from transcriptions
            where meeting_id = ? and session_uid = ? order by start_time, id
            """)
        .with(meetingId, sessionUid)
        .list(
            resultRow ->
                new StoredSegment(
                    resultRow.doubleAt("start_time"),
                    resultRow.doubleAt("end_time"),
                    resultRow.text("text"),
                    resultRow.maybeText("speaker"),
                    resultRow.maybeText("language"),
                    resultRow.booleanAt("completed")));
  }

  private static Query delete(Tx tx, long meetingId, String sessionUid) {
    return tx.sql("delete from transcriptions where meeting_id = ? and session_uid = ?")
        .with(meetingId, sessionUid);
  }

  private static TranscriptSession session(Tx tx, long meetingId, String sessionUid) {
    return tx.sql(
            """
            select m.user_id, coalesce(s.session_start_time, r.start_time) as began
            from meetings m
            left join meeting_sessions s on s.session_uid = ? and s.meeting_id = m.id
            left join recordings r on r.recording_id = ? and r.meeting_id = m.id
            where m.id = ?
            """)
        .with(
            sessionUid,
            sessionUid.startsWith(RECORDING) ? sessionUid.substring(RECORDING.length()) : "",
            meetingId)
        .one(
            resultRow ->
                new TranscriptSession(
                    resultRow.maybeLong("user_id"), resultRow.maybeInstant("began")));
  }

  private static List<Object> saidArrays(List<StoredSegment> segments) {
    return List.of(
        segments.stream().map(StoredSegment::start).toArray(Double[]::new),
        segments.stream().map(StoredSegment::end).toArray(Double[]::new),
        segments.stream().map(StoredSegment::text).toArray(String[]::new),
        texts(segments.stream().map(StoredSegment::speaker).toList()),
        texts(segments.stream().map(StoredSegment::language).toList()),
        segments.stream().map(StoredSegment::completed).toArray(Boolean[]::new));
  }

  private static List<Object> recognisedArrays(List<StoredSegment> segments) {
    return List.of(
        decimals(segments, StoredSegment::confidence),
        texts(
            segments.stream()
                .map(StoredSegment::words)
                .map(
                    words ->
                        words.isEmpty() ? Optional.<String>empty() : Optional.of(Json.write(words)))
                .toList()));
  }

  private static @Nullable Double[] decimals(
      List<StoredSegment> segments, Function<StoredSegment, Optional<Double>> value) {
    @Nullable Double[] decimals = new @Nullable Double[segments.size()];
    for (int i = 0; i < decimals.length; i++) {
      decimals[i] = value.apply(segments.get(i)).orElse(null);
    }
    return decimals;
  }

  private static @Nullable String[] texts(List<Optional<String>> values) {
    @Nullable String[] texts = new @Nullable String[values.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = values.get(i).orElse(null);
    }
    return texts;
  }
}

package io.convoke.server.meetings;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.ResultRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A stored part of a transcript, as {@code GET /transcripts} and {@code transcript.segments} show
 * it. Start and end are seconds of the session.
 *
 * @param id stays when a draft is replaced
 * @param saidAt the start as wall-clock time; empty when the start of the session is unknown
 * @param completed false for a draft, which a later batch of its session may replace
 * @param confidence how sure the transcriber is, from 0 to 1; empty when it does not say, or when a
 *     person corrected the text
 * @param words with their times, where the reader asks for them and the transcriber tells them;
 *     empty when a person corrected the text
 * @param levelDb how loud it is in dBov (RFC 6464), -127 to 0; empty where the bot does not tell it
 */
public record Segment(
    long id,
    double start,
    double end,
    String text,
    Optional<String> speaker,
    Optional<String> language,
    Optional<String> sessionUid,
    Instant createdAt,
    Optional<Instant> saidAt,
    boolean completed,
    Optional<Double> confidence,
    Optional<List<SegmentToken>> words,
    Optional<Double> levelDb) {

  /**
   * A word as the transcriber reported it, with its times in seconds of the session.
   *
   * @param confidence from 0 to 1, where the transcriber tells it
   */
  public record SegmentToken(String text, double start, double end, Optional<Double> confidence) {}

  /** The text of a row, as a person corrected it; of this alias. */
  public static String text(String alias) {
    return "coalesce(A.shown_text, A.text)".replace("A.", alias + ".");
  }

  /** The speaker of a row, as a person named it; of this alias. */
  public static String speaker(String alias) {
    return "nullif(coalesce(A.shown_speaker, A.speaker), '')".replace("A.", alias + ".");
  }

  /** The columns of {@code transcriptions} that a segment is made of; of this alias. */
  public static String columns(String alias) {
    return """
        A.id, A.start_time, A.end_time, A.language, A.session_uid, A.created_at, A.completed, A.level_db,
        """
            .replace("A.", alias + ".")
        + text(alias)
        + " as text, "
        + speaker(alias)
        + " as speaker, "
        + asReported(alias, "confidence");
  }

  /** The column with the words of a row, unless a person corrected its text; of this alias. */
  public static String words(String alias) {
    return asReported(alias, "words");
  }

  /** A text that was put back, or sent again with another speaker, is as it was reported. */
  private static String asReported(String alias, String column) {
    return "case when coalesce(A.shown_text, A.text) = A.text then A.COLUMN end as COLUMN"
        .replace("A.", alias + ".")
        .replace("COLUMN", column);
  }

  /** A row with {@link #columns}, of a session that began at this time. */
  public static Segment of(ResultRow resultRow, Optional<Instant> began) {
    double start = resultRow.doubleAt("start_time");
    return new Segment(
        resultRow.longAt("id"),
        start,
        resultRow.doubleAt("end_time"),
        resultRow.text("text"),
        resultRow.maybeText("speaker"),
        resultRow.maybeText("language"),
        resultRow.maybeText("session_uid"),
        resultRow.instant("created_at"),
        began.map(at -> at.plus(Duration.ofMillis(Math.round(start * 1000)))),
        resultRow.booleanAt("completed"),
        resultRow.maybeDouble("confidence"),
        Optional.empty(),
        resultRow.maybeDouble("level_db"));
  }

  /** With the {@link #words} of its row. */
  public Segment withWords(ResultRow resultRow) {
    return new Segment(
        id,
        start,
        end,
        text,
        speaker,
        language,
        sessionUid,
        createdAt,
        saidAt,
        completed,
        confidence,
        resultRow.maybeJson("words").map(json -> List.of(Json.read(json, SegmentToken[].class))),
        levelDb);
  }
}

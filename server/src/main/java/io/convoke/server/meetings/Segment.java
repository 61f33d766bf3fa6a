package io.convoke.server.meetings;

import io.convoke.engine.sql.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A stored part of a transcript, as {@code GET /transcripts} and {@code transcript.segments} show
 * it. Start and end are seconds of the session.
 *
 * @param id stays when a draft is replaced
 * @param saidAt the start as a time of the world; empty when the start of the session is unknown
 * @param completed false for a draft, which a later batch of its session may replace
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
    boolean completed) {

  /** The columns of {@code transcriptions} that a segment is made of. */
  static final String COLUMNS =
      "id, start_time, end_time, text, speaker, language, session_uid, created_at, completed";

  /** A row with {@link #COLUMNS}, of a session that began at this time. */
  static Segment of(Row row, Optional<Instant> began) {
    double start = row.doubleAt("start_time");
    return new Segment(
        row.longAt("id"),
        start,
        row.doubleAt("end_time"),
        row.text("text"),
        row.maybeText("speaker"),
        row.maybeText("language"),
        row.maybeText("session_uid"),
        row.instant("created_at"),
        began.map(at -> at.plus(Duration.ofMillis(Math.round(start * 1000)))),
        row.booleanAt("completed"));
  }
}

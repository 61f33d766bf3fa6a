package io.convoke.server.transcripts;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.EntityTag;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.meetings.Segment;
import io.convoke.server.transcripts.TranscriptQueries.CursoredSegment;
import io.convoke.server.transcripts.TranscriptQueries.TranscriptCursor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** {@code /transcripts}: a transcript as JSON or as a document (docs/reference/recordings.md). */
public final class TranscriptEndpoints {
  private static final int SEGMENTS_MAX = 20_000;

  private final MeetingStore meetings;
  private final TranscriptQueries queries;

  /** Serves the transcripts in this database. */
  public TranscriptEndpoints(Database database, MeetingStore meetings) {
    this.meetings = meetings;
    this.queries = new TranscriptQueries(database);
  }

  /**
   * A page of a transcript; partial while the meeting or one of its recordings may add segments, or
   * when further pages follow.
   */
  record TranscriptView(
      long meetingId, List<Segment> segments, boolean partial, Optional<String> nextCursor) {}

  /** The endpoints under {@code /transcripts}. */
  public List<Endpoint> endpoints() {
    Endpoint.Builder read =
        Endpoint.get("/transcripts/{meeting_id}")
            .id("getTranscript")
            .tag("meetings")
            .summary("The transcript of a meeting, also as WebVTT, SubRip, text or Markdown.")
            .description(
                "All of it, up to 20,000 segments; limit and cursor ask for a page, and the header"
                    + " Next-Cursor of a document leads to the next one. JSON is ordered by session"
                    + " and start, documents by time since the first session began. partial: more"
                    + " segments may follow. Send the ETag as If-None-Match: 304 if nothing"
                    + " changed.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query(
                "format",
                Schema.oneOf(TranscriptFormat.class)
                    .byDefault("json")
                    .describe("JSON or a document."))
            .query("session_uid", Schema.printable(1, 200).describe("Only this session."))
            .query(
                "words",
                Schema.bool()
                    .describe("JSON: each segment with its words and their times, where known."))
            .query(
                "limit",
                Schema.integer(1, SEGMENTS_MAX)
                    .byDefault(SEGMENTS_MAX)
                    .describe("Segments of a page at most."))
            .query("cursor", Schema.printable(1, 1024).describe("next_cursor of the page before."))
            .answers(200, Schema.of(TranscriptView.class));
    for (TranscriptFormat format : TranscriptFormat.values()) {
      if (format != TranscriptFormat.JSON) {
        read = read.answers(200, format.contentType());
      }
    }
    return List.of(read.answers(304).handle(this::transcript));
  }

  private Response transcript(Request request) {
    Meeting meeting =
        meetings
            .find(request.pathId("meeting_id"))
            .filter(it -> request.sees(it.userId()))
            .orElseThrow(() -> Problem.notFound("meeting"));
    TranscriptFormat format =
        request.query("format").map(TranscriptFormat::of).orElse(TranscriptFormat.JSON);
    Optional<String> session = request.query("session_uid");
    int limit = request.queryLong("limit").orElse((long) SEGMENTS_MAX).intValue();
    TranscriptCursor after =
        request.query("cursor").map(TranscriptEndpoints::place).orElse(TranscriptCursor.BEGIN);
    // Before the segments are read: those that complete the transcript may come in between.
    boolean open =
        format == TranscriptFormat.JSON
            && (!meeting.status().terminal() || queries.awaitsWords(meeting.id()));
    Page<CursoredSegment> slice =
        Page.of(
            queries.segments(
                meeting.id(),
                session,
                after,
                limit + 1,
                format == TranscriptFormat.JSON
                    && request.query("words").filter("true"::equals).isPresent()),
            new PageRequest(limit, Optional.empty()),
            last -> cursor(last.place()));
    return switch (format) {
      case JSON -> tagged(request, format, Json.bytes(view(meeting, slice, open)));
      case VTT, SRT, TXT, MD -> {
        Response document =
            tagged(request, format, document(meeting, session, format, slice.items()))
                .header(
                    "Content-Disposition",
                    "inline; filename=\"meeting-%d.%s\""
                        .formatted(meeting.id(), format.extension()));
        yield slice
            .nextCursor()
            .map(cursor -> document.header("Next-Cursor", cursor))
            .orElse(document);
      }
    };
  }

  private static TranscriptView view(Meeting meeting, Page<CursoredSegment> slice, boolean open) {
    return new TranscriptView(
        meeting.id(),
        slice.items().stream().map(CursoredSegment::segment).toList(),
        open || slice.nextCursor().isPresent(),
        slice.nextCursor());
  }

  private byte[] document(
      Meeting meeting,
      Optional<String> session,
      TranscriptFormat format,
      List<CursoredSegment> segments) {
    Optional<Instant> began = queries.began(meeting.id(), session);
    List<Cue> cues =
        segments.stream()
            .map(it -> Cue.of(it.segment(), offsetMs(began, it.began())))
            .filter(cue -> !cue.text().isEmpty())
            .sorted(Comparator.comparingLong(Cue::startMs))
            .toList();
    String text =
        switch (format) {
          case VTT -> TranscriptDocument.vtt(cues);
          case SRT -> TranscriptDocument.srt(cues);
          case TXT -> TranscriptDocument.txt(cues);
          case MD -> TranscriptDocument.markdown(title(meeting, began), cues);
          case JSON -> throw new IllegalArgumentException("JSON is no document");
        };
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static long offsetMs(Optional<Instant> began, Optional<Instant> session) {
    return began.isPresent() && session.isPresent()
        ? Duration.between(began.get(), session.get()).toMillis()
        : 0;
  }

  private static String title(Meeting meeting, Optional<Instant> began) {
    return "Transcript of meeting %d (%s %s%s)"
        .formatted(
            meeting.id(),
            meeting.platform(),
            Cue.oneLine(meeting.platformSpecificId()),
            began.map(at -> ", " + Json.time(at)).orElse(""));
  }

  private static Response tagged(Request request, TranscriptFormat format, byte[] content) {
    String tag = EntityTag.of(content);
    boolean known =
        request.header("If-None-Match").filter(sent -> EntityTag.matches(sent, tag)).isPresent();
    return (known ? Response.notModified() : Response.bytes(format.contentType(), content))
        .header("ETag", tag)
        .header("Cache-Control", "private, no-cache");
  }

  private static String cursor(TranscriptCursor transcriptCursor) {
    return Cursor.of(
        transcriptCursor.unnamed(),
        transcriptCursor.sessionUid(),
        transcriptCursor.start(),
        transcriptCursor.id());
  }

  private static TranscriptCursor place(String cursor) {
    List<String> keys = Cursor.parse(cursor);
    try {
      return new TranscriptCursor(
          Boolean.parseBoolean(keys.get(0)),
          keys.get(1),
          Double.parseDouble(keys.get(2)),
          Long.parseLong(keys.get(3)));
    } catch (NumberFormatException | IndexOutOfBoundsException _) {
      throw Problem.badRequest("cursor", "is not a cursor of this list");
    }
  }
}

package io.convoke.server.transcripts;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.meetings.Segment;
import io.convoke.server.transcripts.TranscriptCorrections.Correction;
import io.convoke.server.transcripts.TranscriptCorrections.RenamedSpeaker;
import io.convoke.server.transcripts.TranscriptCorrections.TranscriptChange;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Corrections under {@code /transcripts} (docs/reference/recordings.md, "Corrections"). */
public final class CorrectionEndpoints {
  private static final Schema SPEAKER = Schema.printable(1, 255);
  private static final int TEXT_MAX = 16_384;

  private final MeetingStore meetings;
  private final TranscriptCorrections corrections;

  /** Corrects the transcripts in this database, with events in the journal. */
  public CorrectionEndpoints(Database database, Journal journal, MeetingStore meetings) {
    this.meetings = meetings;
    this.corrections = new TranscriptCorrections(database, journal);
  }

  private record RenameRequest(String from, String to) {}

  /** The endpoints that correct, and the history. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.patch("/transcripts/{meeting_id}/segments/{segment_id}")
            .id("correctSegment")
            .tag("meetings")
            .summary("Correct the text or the speaker of a completed segment.")
            .description(
                "speaker null removes it. An event transcript.segments has the segment as it is"
                    + " now; the history keeps what it was. 409 for a draft.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .body(
                Schema.object()
                    .optional("text", Schema.text(1, TEXT_MAX))
                    .optional("speaker", SPEAKER))
            .answers(200, Schema.of(Segment.class))
            .problems(409)
            .handle(this::correct),
        Endpoint.patch("/transcripts/{meeting_id}/speakers")
            .id("renameSpeaker")
            .tag("meetings")
            .summary("Rename a speaker in all segments of a meeting, also in those that follow.")
            .description(
                "One event transcript.speaker_renamed. 404 if no segment has this speaker.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .body(
                Schema.object()
                    .required("from", SPEAKER)
                    .required("to", SPEAKER)
                    .example(Json.read("{\"from\": \"Speaker 1\", \"to\": \"Ada\"}")))
            .answers(200, Schema.of(RenamedSpeaker.class))
            .handle(this::rename),
        Endpoint.get("/transcripts/{meeting_id}/changes")
            .id("listTranscriptChanges")
            .tag("meetings")
            .summary("What people changed in a transcript, newest first.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .paged()
            .answers(200, Schema.slice(Schema.of(TranscriptChange.class)))
            .handle(this::history));
  }

  private Response correct(Request request) {
    Meeting meeting = visible(request);
    long segment = request.pathId("segment_id");
    JsonNode body = request.json();
    Optional<String> text = body.path("text").asStringOpt();
    if (text.filter(String::isBlank).isPresent()) {
      throw Problem.badRequest("text", "is blank");
    }
    Optional<Optional<String>> speaker =
        body.has("speaker") ? Optional.of(named(body.path("speaker"))) : Optional.empty();
    if (text.isEmpty() && speaker.isEmpty()) {
      throw Problem.badRequest("text", "or speaker is needed");
    }
    // Without the words: they go when the recording is deleted, and the audit journal stays.
    var _ =
        request
            .action()
            .target("meeting", meeting.id())
            .after(
                Map.of(
                    "segment_id", segment,
                    "text", text.isPresent(),
                    "speaker", speaker.isPresent()));
    return Response.ok(
        corrections.correct(
            meeting, segment, new Correction(text, speaker), request.caller().scope()));
  }

  private static Optional<String> named(JsonNode speaker) {
    Optional<String> name = speaker.asStringOpt();
    if (name.filter(String::isBlank).isPresent()) {
      throw Problem.badRequest("speaker", "is blank");
    }
    return name;
  }

  private Response rename(Request request) {
    Meeting meeting = visible(request);
    RenameRequest body = request.body(RenameRequest.class);
    if (body.to().isBlank()) {
      throw Problem.badRequest("to", "is blank");
    }
    var _ =
        request
            .action()
            .target("meeting", meeting.id())
            .before(Map.of("speaker", body.from()))
            .after(Map.of("speaker", body.to()));
    return Response.ok(
        corrections.rename(meeting, body.from(), body.to(), request.caller().scope()));
  }

  private Response history(Request request) {
    Meeting meeting = visible(request);
    PageRequest pageRequest = request.page();
    long before =
        pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(Long.MAX_VALUE);
    return Response.ok(
        Page.of(
            corrections.history(meeting.id(), before, pageRequest.limit() + 1),
            pageRequest,
            last -> Cursor.of(last.id())));
  }

  private Meeting visible(Request request) {
    return meetings
        .find(request.pathId("meeting_id"))
        .filter(meeting -> request.sees(meeting.userId()))
        .orElseThrow(() -> Problem.notFound("meeting"));
  }
}

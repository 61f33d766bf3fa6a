package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.engine.sql.Database;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.VisibleUsers;
import io.convoke.server.media.ByteRange;
import io.convoke.server.media.MediaFormat;
import io.convoke.server.rooms.RoomClaims;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** {@code /recordings} (docs/spec/contract.md, "Recordings"), and the operator's storage audit. */
final class RecordingEndpoints {
  private static final Schema VIEW = Schema.of(RecordingView.class);
  private static final Schema ID =
      Schema.pattern("^[A-Za-z0-9_-]{1,128}$")
          .describe("The id of the recording.")
          .example("rec_8c1f");
  private static final Schema STATUS = Schema.oneOf(RecordingStatus.class);
  private static final Schema AUDIT = Schema.of(RecordingRetention.StorageAudit.class);

  private final RecordingStore store;
  private final RecordingTransitions transitions;
  private final RecordingRetention recordingRetention;
  private final BlobStore blobs;
  private final Database database;
  private final RecordingConfig terms;

  RecordingEndpoints(
      RecordingStore store,
      RecordingTransitions transitions,
      RecordingRetention recordingRetention,
      BlobStore blobs,
      Database database,
      RecordingConfig terms) {
    this.store = store;
    this.transitions = transitions;
    this.recordingRetention = recordingRetention;
    this.blobs = blobs;
    this.database = database;
    this.terms = terms;
  }

  private record MatchRequest(long meetingId) {}

  private record RetryRequest(Optional<String> step) {}

  /** The meeting that a recording is assigned to. */
  private record TargetMeeting(long userId, String platform, String room) {
    boolean isInRoomOf(RecordingRow row) {
      return platform.equals(row.platform()) && room.equals(row.room());
    }
  }

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/recordings")
            .id("listRecordings")
            .tag("recordings")
            .summary("Recordings, newest first.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query("status", STATUS.describe("Only recordings of this status."))
            .query("meeting_id", Schema.id().describe("Only recordings of this meeting."))
            .paged()
            .answers(200, Schema.slice(VIEW))
            .handle(
                request -> list(request, request.visibleUsers(), request.queryLong("meeting_id"))),
        Endpoint.get("/meetings/{id}/recordings")
            .id("listRecordingsOfMeeting")
            .tag("recordings")
            .summary("Recordings of a meeting, newest first.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query("status", STATUS.describe("Only recordings of this status."))
            .paged()
            .answers(200, Schema.slice(VIEW))
            .handle(this::ofMeeting),
        Endpoint.get("/recordings/{id}")
            .id("getRecording")
            .tag("recordings")
            .summary("A recording with its steps.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", ID)
            .answers(200, VIEW)
            .handle(request -> Response.ok(view(visible(request)))),
        audioEndpoint(),
        Endpoint.get("/recordings/{id}/waveform")
            .id("getRecordingWaveform")
            .tag("recordings")
            .summary("How loud a recording is over time, and whether it has pictures.")
            .description(
                "At most 1,500 peaks from 0 to 255, of parts of equal length. 404 before the"
                    + " recording is transcribed.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", ID)
            .answers(200, Schema.of(WaveformStore.WaveformView.class))
            .handle(
                request ->
                    Response.ok(
                        WaveformStore.find(database, visible(request).id())
                            .orElseThrow(() -> Problem.notFound("waveform of this recording")))),
        Endpoint.post("/recordings/{id}/match")
            .id("matchRecording")
            .tag("recordings")
            .summary("Assign a recording to a meeting.")
            .description(
                "For the owner of the recording's room, if it began after the room became theirs: a"
                    + " meeting in that room. 403 with code room_claimed in a room of another user."
                    + " Admins assign any.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", ID)
            .body(Schema.object().required("meeting_id", Schema.id()))
            .answers(200, VIEW)
            .problems(409, 422)
            .handle(this::match),
        Endpoint.post("/recordings/{id}/retry")
            .id("retryRecording")
            .tag("recordings")
            .summary("Retry a recording, from a step or from where it stopped.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", ID)
            .optionalBody(Schema.object().optional("step", Schema.oneOf(StepName.class)))
            .answers(202, VIEW)
            .problems(409)
            .handle(this::retry),
        Endpoint.delete("/recordings/{id}")
            .id("deleteRecording")
            .tag("recordings")
            .summary("Delete a recording with its audio and transcript.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", ID)
            .answers(204)
            .handle(this::delete),
        Endpoint.get("/admin/recordings/audit")
            .id("auditRecordings")
            .tag("recordings")
            .summary("Compare the store of audio with the rows, both ways.")
            .roles(CallerRole.ADMIN)
            .answers(200, AUDIT)
            .handle(request -> audit(false)),
        Endpoint.post("/admin/recordings/audit")
            .id("repairRecordings")
            .tag("recordings")
            .summary(
                "Audit and repair: delete blobs without a row and correct rows without a blob.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.ADMIN)
            .answers(200, AUDIT)
            .handle(request -> audit(true)));
  }

  private Endpoint audioEndpoint() {
    Endpoint.Builder audio =
        Endpoint.get("/recordings/{id}/audio")
            .id("getRecordingAudio")
            .tag("recordings")
            .summary("The audio as downloaded from the platform, whole or a range.")
            .description(
                "Takes Range with one part. 404 before it is downloaded, and once it is kept no"
                    + " more.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", ID)
            .header(
                "Range",
                Schema.text(0, 200)
                    .describe("One part of the file, such as bytes=0-65535.")
                    .example("bytes=0-65535"))
            .problems(416, 503);
    for (String type : MediaFormat.mediaTypes()) {
      audio = audio.answers(200, type).answers(206, type);
    }
    return audio.handle(this::audio);
  }

  private Response audio(Request request) {
    RecordingRow.StoredAudio storedAudio =
        visible(request).audio().orElseThrow(() -> Problem.notFound("audio of this recording"));
    BlobKey key = new BlobKey(storedAudio.key());
    try {
      return switch (ByteRange.of(request.header("Range"), storedAudio.size())) {
        case ByteRange.RequestedRange.RangeWhole _ -> audio(key, 200, 0, storedAudio.size());
        case ByteRange.RequestedRange.RangePart(ByteRange part) ->
            audio(key, 206, part.from(), part.length()).header("Content-Range", part.header());
        case ByteRange.RequestedRange.RangeBeyondEnd _ ->
            throw Problem.of(
                416, "range_not_satisfiable", "The audio has " + storedAudio.size() + " bytes.");
      };
    } catch (IOException away) {
      throw Problem.unavailable("the store of audio");
    }
  }

  private Response audio(BlobKey key, int status, long from, long length) throws IOException {
    byte[] beginning =
        blobs
            .read(key, 0, MediaFormat.TELLING)
            .orElseThrow(() -> Problem.notFound("audio of this recording"));
    InputStream content =
        blobs.open(key, from).orElseThrow(() -> Problem.notFound("audio of this recording"));
    return Response.stream(status, MediaFormat.of(beginning).mediaType(), length, content)
        .header("Accept-Ranges", "bytes");
  }

  private Response ofMeeting(Request request) {
    long meeting = request.pathId("id");
    TargetMeeting _ = ownMeeting(request, meeting);
    return list(request, Optional.empty(), Optional.of(meeting));
  }

  private Response list(Request request, Optional<VisibleUsers> users, Optional<Long> meeting) {
    PageRequest pageRequest = request.page();
    List<RecordingRow> rows =
        store.list(
            new RecordingStore.RecordingFilter(
                users,
                meeting,
                request.query("status").map(RecordingStatus::of),
                pageRequest.cursor().map(RecordingEndpoints::place),
                pageRequest.limit() + 1));
    Optional<String> next =
        rows.size() > pageRequest.limit()
            ? Optional.of(rows.get(pageRequest.limit() - 1))
                .map(last -> Cursor.of(last.createdAt().toString(), last.id()))
            : Optional.empty();
    return Response.ok(
        new Page<>(rows.stream().limit(pageRequest.limit()).map(this::view).toList(), next));
  }

  private Response match(Request request) {
    requireRoomNotOfAnother(request);
    RecordingRow row = changing(request);
    long meeting = request.body(MatchRequest.class).meetingId();
    var _ = request.action().after(Map.of("meeting_id", meeting));
    TargetMeeting target = ownMeeting(request, meeting);
    boolean fits =
        request.caller() instanceof Caller.AdminCaller
            ? target.platform().equals(row.platform())
            : row.candidates().contains(meeting) || target.isInRoomOf(row);
    if (row.status() == RecordingStatus.UNMATCHED && !fits) {
      throw Problem.unprocessable(
          "not_a_candidate", "The recording cannot belong to this meeting.");
    }
    MeetingAssignment.OwnedMeeting ownedMeeting =
        new MeetingAssignment.OwnedMeeting(meeting, target.userId());
    return Response.ok(view(transitions.match(row.id(), ownedMeeting, request.caller().scope())));
  }

  private Response retry(Request request) {
    RecordingRow row = changing(request);
    Optional<StepName> step =
        request
            .body(RetryRequest.class)
            .step()
            .map(name -> StepName.valueOf(name.toUpperCase(Locale.ROOT)));
    return Response.accepted(view(transitions.retry(row.id(), step, request.caller().scope())));
  }

  private Response delete(Request request) {
    RecordingRow row = changing(request);
    boolean _ = recordingRetention.delete(row, request.caller().scope());
    return Response.noContent();
  }

  private Response audit(boolean repair) {
    try {
      return Response.ok(recordingRetention.audit(repair));
    } catch (IOException away) {
      throw Problem.unavailable("the store of audio");
    }
  }

  /** 403 to users for a recording in another user's room, before anything is said about it. */
  private void requireRoomNotOfAnother(Request request) {
    if (request.caller() instanceof Caller.UserCaller user) {
      store
          .find(request.path("id"))
          .filter(row -> row.userId().filter(owner -> owner == user.userId()).isEmpty())
          .ifPresent(
              row ->
                  database.run(
                      tx ->
                          RoomClaims.requireNotOfAnother(
                              tx, row.platform(), row.room(), user.userId())));
    }
  }

  /** The recording that the request changes, for the audit journal too. */
  private RecordingRow changing(Request request) {
    RecordingRow row = visible(request);
    var _ = request.action().target("recording", row.id()).before(view(row));
    return row;
  }

  /**
   * A user sees the recordings of their meetings, and unmatched ones that their rooms' claims open.
   */
  private RecordingRow visible(Request request) {
    return store
        .find(request.path("id"))
        .filter(
            row ->
                row.userId()
                        .map(request::sees)
                        .orElse(request.caller() instanceof Caller.AdminCaller)
                    || (request.caller() instanceof Caller.UserCaller
                        && row.status() == RecordingStatus.UNMATCHED
                        && store.opened(request.visibleUsers().orElseThrow(), row.id())))
        .orElseThrow(() -> Problem.notFound("recording"));
  }

  private RecordingView view(RecordingRow row) {
    return RecordingView.of(row, terms);
  }

  private TargetMeeting ownMeeting(Request request, long meeting) {
    return database
        .read(
            tx ->
                tx.sql("select user_id, platform, platform_specific_id from meetings where id = ?")
                    .with(meeting)
                    .first(
                        resultRow ->
                            new TargetMeeting(
                                resultRow.longAt("user_id"),
                                resultRow.text("platform"),
                                resultRow.text("platform_specific_id"))))
        .filter(target -> request.sees(target.userId()))
        .orElseThrow(() -> Problem.notFound("meeting"));
  }

  private static RecordingStore.RecordingPosition place(String cursor) {
    List<String> parts = Cursor.parse(cursor);
    try {
      if (parts.size() == 2) {
        return new RecordingStore.RecordingPosition(Instant.parse(parts.get(0)), parts.get(1));
      }
    } catch (DateTimeParseException e) {
      // The same answer as for any other cursor that is not ours.
    }
    throw Problem.badRequest("cursor", "is not a cursor of this list");
  }
}

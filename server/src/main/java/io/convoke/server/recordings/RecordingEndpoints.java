package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.server.blobs.BlobKey;
import io.convoke.server.blobs.BlobStore;
import io.convoke.server.http.Answer;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import io.convoke.server.http.Slice;
import io.convoke.server.recordings.RecordingTransitions.Applied;
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
  private static final Schema ID = Schema.pattern("^[A-Za-z0-9_-]{1,128}$");
  private static final Schema STATUS = Schema.oneOf(RecordingStatus.class);
  private static final Schema AUDIT = Schema.of(Keeping.Audit.class);

  private final RecordingStore store;
  private final RecordingTransitions transitions;
  private final Keeping keeping;
  private final BlobStore blobs;
  private final Database database;
  private final RecordingTerms terms;

  RecordingEndpoints(
      RecordingStore store,
      RecordingTransitions transitions,
      Keeping keeping,
      BlobStore blobs,
      Database database,
      RecordingTerms terms) {
    this.store = store;
    this.transitions = transitions;
    this.keeping = keeping;
    this.blobs = blobs;
    this.database = database;
    this.terms = terms;
  }

  private record Match(long meetingId) {}

  private record Again(Optional<String> step) {}

  private record Owner(long userId, String platform) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/recordings")
            .id("listRecordings")
            .tag("recordings")
            .summary("Recordings, newest first.")
            .roles(Role.USER)
            .query("status", STATUS)
            .paged()
            .answers(200, Schema.slice(VIEW))
            .handle(request -> list(request, request.ownerFilter(), Optional.empty())),
        Endpoint.get("/meetings/{id}/recordings")
            .id("listRecordingsOfMeeting")
            .tag("recordings")
            .summary("Recordings of a meeting, newest first.")
            .roles(Role.USER)
            .query("status", STATUS)
            .paged()
            .answers(200, Schema.slice(VIEW))
            .handle(this::ofMeeting),
        Endpoint.get("/recordings/{id}")
            .id("getRecording")
            .tag("recordings")
            .summary("One recording and the work on it, step by step.")
            .roles(Role.USER)
            .path("id", ID)
            .answers(200, VIEW)
            .handle(request -> Answer.ok(view(visible(request)))),
        audioEndpoint(),
        Endpoint.post("/recordings/{id}/match")
            .id("matchRecording")
            .tag("recordings")
            .summary("Assign a recording to a meeting.")
            .roles(Role.USER)
            .path("id", ID)
            .body(Schema.object().required("meeting_id", Schema.id()))
            .answers(200, VIEW)
            .problems(409, 422)
            .handle(this::match),
        Endpoint.post("/recordings/{id}/retry")
            .id("retryRecording")
            .tag("recordings")
            .summary("Do the work again: from a step on, or where it stopped.")
            .roles(Role.USER)
            .path("id", ID)
            .optionalBody(Schema.object().optional("step", Schema.oneOf(StepName.class)))
            .answers(202, VIEW)
            .problems(409)
            .handle(this::retry),
        Endpoint.delete("/recordings/{id}")
            .id("deleteRecording")
            .tag("recordings")
            .summary("Delete a recording with its audio and transcript.")
            .roles(Role.USER)
            .path("id", ID)
            .answers(204)
            .handle(this::delete),
        Endpoint.get("/admin/recordings/audit")
            .id("auditRecordings")
            .tag("recordings")
            .summary("Compare the store of audio with the rows, both ways.")
            .roles(Role.ADMIN)
            .answers(200, AUDIT)
            .handle(request -> audit(false)),
        Endpoint.post("/admin/recordings/audit")
            .id("repairRecordings")
            .tag("recordings")
            .summary(
                "Audit and repair: delete blobs without a row and correct rows without a blob.")
            .roles(Role.ADMIN)
            .answers(200, AUDIT)
            .handle(request -> audit(true)));
  }

  private Endpoint audioEndpoint() {
    Endpoint.Builder audio =
        Endpoint.get("/recordings/{id}/audio")
            .id("getRecordingAudio")
            .tag("recordings")
            .summary("The audio as the platform gave it, whole or in part.")
            .description(
                "Takes Range with one part. 404 before it is downloaded, and once it is kept no more.")
            .roles(Role.USER)
            .path("id", ID)
            .header("Range", Schema.text(0, 200))
            .problems(416, 503);
    for (String type : Sound.mediaTypes()) {
      audio = audio.answers(200, type).answers(206, type);
    }
    return audio.handle(this::audio);
  }

  private Answer audio(Request request) {
    RecordingRow.Audio audio =
        visible(request).audio().orElseThrow(() -> Problem.notFound("audio of this recording"));
    BlobKey key = new BlobKey(audio.key());
    try {
      return switch (ByteRange.of(request.header("Range"), audio.size())) {
        case ByteRange.Asked.Whole _ -> audio(key, 200, 0, audio.size());
        case ByteRange.Asked.Part(ByteRange part) ->
            audio(key, 206, part.from(), part.length()).header("Content-Range", part.header());
        case ByteRange.Asked.Beyond _ ->
            throw Problem.of(
                416, "range_not_satisfiable", "The audio has " + audio.size() + " bytes.");
      };
    } catch (IOException away) {
      throw Problem.unavailable("the store of audio");
    }
  }

  private Answer audio(BlobKey key, int status, long from, long length) throws IOException {
    byte[] beginning =
        blobs
            .read(key, 0, Sound.TELLING)
            .orElseThrow(() -> Problem.notFound("audio of this recording"));
    InputStream content =
        blobs.open(key, from).orElseThrow(() -> Problem.notFound("audio of this recording"));
    return Answer.stream(status, Sound.of(beginning).mediaType(), length, content)
        .header("Accept-Ranges", "bytes");
  }

  private Answer ofMeeting(Request request) {
    long meeting = request.pathId("id");
    Optional<Owner> owner = owner(meeting);
    if (owner.isEmpty() || !request.caller().sees(owner.get().userId())) {
      throw Problem.notFound("meeting");
    }
    return list(request, Optional.empty(), Optional.of(meeting));
  }

  private Answer list(Request request, Optional<Long> user, Optional<Long> meeting) {
    Page page = request.page();
    List<RecordingRow> rows =
        store.list(
            new RecordingStore.Filter(
                user,
                meeting,
                request.query("status").map(RecordingStatus::of),
                page.cursor().map(RecordingEndpoints::place),
                page.limit() + 1));
    Optional<String> next =
        rows.size() > page.limit()
            ? Optional.of(rows.get(page.limit() - 1))
                .map(last -> Cursor.of(last.createdAt().toString(), last.id()))
            : Optional.empty();
    return Answer.ok(new Slice<>(rows.stream().limit(page.limit()).map(this::view).toList(), next));
  }

  private Answer match(Request request) {
    RecordingRow row = visible(request);
    long meeting = request.body(Match.class).meetingId();
    Optional<Owner> owner = owner(meeting);
    if (owner.isEmpty() || !request.caller().sees(owner.get().userId())) {
      throw Problem.notFound("meeting");
    }
    boolean fits =
        request.caller() instanceof Caller.Admin
            ? owner.get().platform().equals(row.platform())
            : row.candidates().contains(meeting);
    if (row.status() == RecordingStatus.UNMATCHED && !fits) {
      throw Problem.unprocessable(
          "not_a_candidate", "The recording cannot belong to this meeting.");
    }
    Placement.Owned owned = new Placement.Owned(meeting, owner.get().userId());
    return Answer.ok(view(moved(transitions.match(row.id(), owned, request.caller().scope()))));
  }

  private Answer retry(Request request) {
    RecordingRow row = visible(request);
    Optional<StepName> step =
        request
            .body(Again.class)
            .step()
            .map(word -> StepName.valueOf(word.toUpperCase(Locale.ROOT)));
    return Answer.accepted(
        view(moved(transitions.retry(row.id(), step, request.caller().scope()))));
  }

  private Answer delete(Request request) throws IOException {
    RecordingRow row = visible(request);
    boolean _ = keeping.delete(row, request.caller().scope());
    return Answer.noContent();
  }

  private Answer audit(boolean repair) {
    try {
      return Answer.ok(keeping.audit(repair));
    } catch (IOException away) {
      throw Problem.unavailable("the store of audio");
    }
  }

  private static RecordingRow moved(Applied applied) {
    return switch (applied) {
      case Applied.Moved(RecordingRow row) -> row;
      case Applied.Unchanged(RecordingRow row) -> row;
      case Applied.Refused(RecordingRow row, String why) ->
          throw Problem.conflict(
              "recording_" + row.status().word(),
              "This cannot be done now: " + why + ".",
              Map.of("recording_status", row.status().word()));
      case Applied.Missing _ -> throw Problem.notFound("recording");
    };
  }

  /** A user sees their own recordings, and unmatched ones that may be theirs. */
  private RecordingRow visible(Request request) {
    Caller caller = request.caller();
    return store
        .find(request.path("id"))
        .filter(
            row ->
                row.userId().map(caller::sees).orElse(caller instanceof Caller.Admin)
                    || (caller instanceof Caller.User(long userId)
                        && row.status() == RecordingStatus.UNMATCHED
                        && store.ownsOne(userId, row.candidates())))
        .orElseThrow(() -> Problem.notFound("recording"));
  }

  private RecordingView view(RecordingRow row) {
    return RecordingView.of(row, terms);
  }

  private Optional<Owner> owner(long meeting) {
    return database.read(
        tx ->
            tx.sql("select user_id, platform from meetings where id = ?")
                .with(meeting)
                .first(row -> new Owner(row.longAt("user_id"), row.text("platform"))));
  }

  private static RecordingStore.Place place(String cursor) {
    List<String> parts = Cursor.parse(cursor);
    try {
      if (parts.size() == 2) {
        return new RecordingStore.Place(Instant.parse(parts.get(0)), parts.get(1));
      }
    } catch (DateTimeParseException e) {
      // The same answer as for any other cursor that is not ours.
    }
    throw Problem.badRequest("cursor", "is not a cursor of this list");
  }
}

package io.convoke.server.egress;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore.BlobInfo;
import io.convoke.agent.blobs.BlobStore.BlobPage;
import io.convoke.server.egress.EgressStore.EgressPosition;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.media.ByteRange;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code /egress} and {@code /meetings/{id}/egress}: what pods made of rooms. */
final class EgressEndpoints {
  private static final Schema TASK =
      Schema.pattern("^[A-Za-z0-9_-]{1,64}$").describe("The id of the task.").example("0f8c1e2d");
  private static final Schema PART =
      Schema.pattern("^[0-9]{3,9}-[0-9]{3,9}$")
          .describe("The attempt and the part of it.")
          .example("001-001");
  private static final Schema NAME =
      Schema.pattern("^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$")
          .describe("The name of the file.")
          .example("recording.mp4");
  private static final Schema VIEW = Schema.of(EgressView.class);

  private final EgressStore store;
  private final EgressFiles files;
  private final EgressRetention retention;

  EgressEndpoints(EgressStore store, EgressFiles files, EgressRetention retention) {
    this.store = store;
    this.files = files;
    this.retention = retention;
  }

  /**
   * An egress as users see it.
   *
   * @param state the task's
   * @param bytes of all files, once it has ended
   * @param deletedAt when its files were deleted
   */
  record EgressView(
      String taskId,
      String kind,
      String room,
      String state,
      Instant createdAt,
      Optional<Instant> endedAt,
      Optional<Long> bytes,
      Optional<Instant> deletedAt) {
    static EgressView of(EgressRow row) {
      return new EgressView(
          row.taskId(),
          row.kind(),
          row.room(),
          row.state(),
          row.createdAt(),
          row.endedAt(),
          row.bytes(),
          row.deletedAt());
    }
  }

  /** A file; its name is the rest of its address. */
  record EgressFile(String name, String mediaType, long size, Instant storedAt) {}

  List<Endpoint> endpoints() {
    return List.of(
        user(Endpoint.get("/meetings/{id}/egress"))
            .id("listEgressOfMeeting")
            .summary("What pods make of the meeting's room while it lasts, newest first.")
            .description(
                "Tasks of type egress of the meeting's user, from when a pod began them. They stay"
                    + " here after the task itself is deleted.")
            .paged()
            .answers(200, Schema.slice(VIEW))
            .handle(this::ofMeeting),
        user(Endpoint.get("/egress/{id}"))
            .id("getEgress")
            .summary("An egress.")
            .path("id", TASK)
            .answers(200, VIEW)
            .handle(request -> Response.ok(EgressView.of(visible(request)))),
        user(Endpoint.get("/egress/{id}/files"))
            .id("listEgressFiles")
            .summary("The files of an egress, by name.")
            .path("id", TASK)
            .paged()
            .answers(200, Schema.slice(Schema.of(EgressFile.class)))
            .problems(503)
            .handle(this::list),
        file(Endpoint.get("/egress/{id}/files/{name}"))
            .id("getEgressFile")
            .summary("A file of an egress, whole or a range.")
            .path("id", TASK)
            .path("name", NAME)
            .handle(request -> file(request, request.path("name"))),
        file(Endpoint.get("/egress/{id}/files/{part}/{name}"))
            .id("getEgressPartFile")
            .summary("A segment or picture of an egress, whole or a range.")
            .path("id", TASK)
            .path("part", PART)
            .path("name", NAME)
            .handle(request -> file(request, request.path("part") + "/" + request.path("name"))),
        user(Endpoint.delete("/egress/{id}"))
            .id("deleteEgress")
            .summary("Delete the files of an egress that has ended.")
            .path("id", TASK)
            .answers(204)
            .problems(409, 503)
            .handle(this::delete));
  }

  private static Endpoint.Builder user(Endpoint.Builder endpoint) {
    return endpoint.tag("egress").roles(CallerRole.USER).scope(ApiScope.MEETINGS);
  }

  private static Endpoint.Builder file(Endpoint.Builder endpoint) {
    Endpoint.Builder file =
        user(endpoint)
            .description("Takes Range with one part. 404 once the files are deleted.")
            .header(
                "Range",
                Schema.text(0, 200)
                    .describe("One part of the file, such as bytes=0-65535.")
                    .example("bytes=0-65535"))
            .problems(416, 503);
    for (String type : EgressFiles.mediaTypes()) {
      file = file.answers(200, type).answers(206, type);
    }
    return file;
  }

  private Response ofMeeting(Request request) {
    long meeting = request.pathId("id");
    if (store.owner(meeting).filter(request::sees).isEmpty()) {
      throw Problem.notFound("meeting");
    }
    PageRequest page = request.page();
    List<EgressRow> rows =
        store.of(meeting, page.cursor().map(EgressEndpoints::place), page.limit() + 1);
    return Response.ok(
        Page.of(rows, page, last -> Cursor.of(last.createdAt().toString(), last.taskId()))
            .map(EgressView::of));
  }

  private Response list(Request request) {
    EgressRow row = visible(request);
    PageRequest page = request.page();
    Optional<String> after = page.cursor().map(cursor -> Cursor.parse(cursor).getFirst());
    try {
      BlobPage found = files.page(row.taskId(), after, page.limit());
      return Response.ok(
          new Page<>(
              found.blobs().stream().flatMap(blob -> shown(row.taskId(), blob).stream()).toList(),
              found.next().map(last -> Cursor.of(EgressFiles.name(row.taskId(), last)))));
    } catch (IOException away) {
      throw Problem.unavailable("the store of files");
    }
  }

  private static Optional<EgressFile> shown(String task, BlobInfo blob) {
    String name = EgressFiles.name(task, blob.key());
    return EgressFiles.mediaType(name)
        .map(type -> new EgressFile(name, type, blob.size(), blob.storedAt()));
  }

  private Response file(Request request, String name) {
    EgressRow row = visible(request);
    String type = EgressFiles.mediaType(name).orElseThrow(EgressEndpoints::noFile);
    if (row.deletedAt().isPresent()) {
      throw noFile();
    }
    BlobKey key = EgressFiles.key(row.taskId(), name);
    try {
      long size = files.store().stat(key).orElseThrow(EgressEndpoints::noFile).size();
      return switch (ByteRange.of(request.header("Range"), size)) {
        case ByteRange.RequestedRange.RangeWhole _ -> part(key, type, 200, 0, size);
        case ByteRange.RequestedRange.RangePart(ByteRange part) ->
            part(key, type, 206, part.from(), part.length()).header("Content-Range", part.header());
        case ByteRange.RequestedRange.RangeBeyondEnd _ ->
            throw Problem.of(416, "range_not_satisfiable", "The file has " + size + " bytes.");
      };
    } catch (IOException away) {
      throw Problem.unavailable("the store of files");
    }
  }

  private Response part(BlobKey key, String type, int status, long from, long length)
      throws IOException {
    InputStream content = files.store().open(key, from).orElseThrow(EgressEndpoints::noFile);
    return Response.stream(status, type, length, content).header("Accept-Ranges", "bytes");
  }

  private Response delete(Request request) {
    EgressRow row = visible(request);
    var _ = request.action().target("egress", row.taskId()).before(Map.of("state", row.state()));
    if (row.endedAt().isEmpty()) {
      throw Problem.conflict(
          "egress_running", "Stop the task first.", Map.of("state", row.state()));
    }
    try {
      retention.delete(row.taskId());
    } catch (IOException away) {
      throw Problem.unavailable("the store of files");
    }
    return Response.noContent();
  }

  private static Problem noFile() {
    return Problem.notFound("file");
  }

  /** Users see theirs and those of their teams, admins all. */
  private EgressRow visible(Request request) {
    return store
        .find(request.path("id"))
        .filter(
            row ->
                row.userId()
                    .map(request::sees)
                    .orElse(request.caller() instanceof Caller.AdminCaller))
        .orElseThrow(() -> Problem.notFound("egress"));
  }

  private static EgressPosition place(String cursor) {
    List<String> parts = Cursor.parse(cursor);
    try {
      if (parts.size() == 2) {
        return new EgressPosition(Instant.parse(parts.get(0)), parts.get(1));
      }
    } catch (DateTimeParseException e) {
      // The same answer as for any other cursor that is not ours.
    }
    throw Problem.badRequest("cursor", "is not a cursor of this list");
  }
}

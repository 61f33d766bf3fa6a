package io.convoke.server.sync;

import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.EntityTag;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.sync.SyncReader.SyncReadSource;
import io.convoke.server.sync.SyncReader.SyncReading;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** {@code /sync-status} (docs/spec/sync.md). */
final class SyncEndpoints {
  private static final String PATH = "/sync-status";
  private static final Schema MEETING_ID = Schema.pattern("^[A-Za-z0-9_.:-]{1,128}$");
  private static final Schema VIEW = Schema.of(SyncView.class);
  private static final Schema WORD = Schema.printable(1, 128);
  private static final Schema COUNT = Schema.integer(0, 1L << 53);

  private final SyncReader reader;
  private final SyncWriter writer;
  private final Duration stallAfter;
  private final InstantSource clock;

  SyncEndpoints(SyncReader reader, SyncWriter writer, Duration stallAfter, InstantSource clock) {
    this.reader = reader;
    this.writer = writer;
    this.stallAfter = stallAfter;
    this.clock = clock;
  }

  /** An update as a job posts it. */
  record SyncUpdateBody(
      String meetingId,
      SyncStatus status,
      Optional<String> step,
      Optional<String> jobId,
      Optional<Long> attempt,
      Optional<Long> seq,
      Optional<String> errorMessage,
      Optional<String> syncedBy) {}

  /** The version of the problem that the operator dismisses. */
  record DismissRequest(long version) {}

  /**
   * The response for several meetings; {@code missing} are unknown ids and those of other users.
   */
  record SyncViews(List<SyncView> items, List<String> missing) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get(PATH)
            .id("getSyncStatus")
            .tag("sync")
            .summary("The sync status of a meeting, or of several with the parameter repeated.")
            .description(
                "One meeting: its record. Several: items and, in missing, ids that are unknown or"
                    + " not yours. stale: Postgres is unreachable, and the response comes from"
                    + " the cache, unconfirmed. Send the ETag as If-None-Match: 304 if nothing"
                    + " changed.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.MEETINGS)
            .repeatedQuery("meeting_id", MEETING_ID.describe("The id of a meeting."))
            .answers(200, Schema.anyOf(VIEW, Schema.of(SyncViews.class)))
            .answers(304)
            .problems(404)
            .handle(this::read),
        Endpoint.post(PATH)
            .id("updateSyncStatus")
            .tag("sync")
            .summary("Update a meeting's sync status.")
            .description(
                "Without attempt, seq and job_id an update counts as the newest. With them, one"
                    + " that is older or a duplicate is answered 200 with the current record and"
                    + " changes nothing.")
            .roles(CallerRole.INTERNAL)
            .body(
                Schema.object()
                    .required("meeting_id", MEETING_ID)
                    .required("status", Schema.oneOf("in_progress", "success", "failure"))
                    .optional("step", WORD)
                    .optional("job_id", WORD)
                    .optional("attempt", COUNT)
                    .optional("seq", COUNT)
                    .optional("error_message", Schema.text(0, Schema.MAX_TEXT))
                    .optional("synced_by", WORD))
            .answers(200, VIEW)
            .handle(this::update),
        Endpoint.get(PATH + "/problems")
            .id("listSyncProblems")
            .tag("sync")
            .summary("Failed and stalled syncs, newest first.")
            .roles(CallerRole.ADMIN)
            .paged()
            .answers(200, Schema.slice(VIEW))
            .handle(this::problems),
        Endpoint.post(PATH + "/{meeting_id}/dismiss")
            .id("dismissSyncProblem")
            .tag("sync")
            .summary("Dismiss a failed or stalled sync.")
            .description("It leaves the list of problems until its next failure or stall.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.OPERATOR)
            .path("meeting_id", MEETING_ID.describe("The id of the meeting."))
            .body(Schema.object().required("version", COUNT))
            .answers(200, VIEW)
            .problems(409)
            .handle(this::dismiss),
        Endpoint.post(PATH + "/{meeting_id}/retry")
            .id("retrySync")
            .tag("sync")
            .summary("Retry a failed or stalled sync.")
            .description(
                "If no job of this server is under way, one of another system has to report within"
                    + " 3 s, or the sync is stalled.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("meeting_id", MEETING_ID.describe("The id of the meeting."))
            .answers(202, VIEW)
            .problems(409)
            .handle(this::retry));
  }

  private Response read(Request request) {
    List<String> named = request.queryAll("meeting_id");
    if (named.isEmpty()) {
      throw Problem.badRequest("meeting_id", "is required");
    }
    if (named.size() == 1) {
      return one(request, reader.read(named.getFirst()));
    }
    Set<String> ids = new LinkedHashSet<>(named);
    return several(request, ids, reader.read(ids));
  }

  private Response one(Request request, SyncReading syncReading) {
    SyncRecord record = visible(request, syncReading.record());
    String cacheStatus = cacheStatus(syncReading.source(), syncReading.stale());
    if (syncReading.stale() || SyncView.stalled(record, clock.instant(), stallAfter)) {
      SyncView view = view(record, syncReading.stale());
      return withHeaders(request, EntityTags.of(view), cacheStatus, () -> Response.ok(view));
    }
    CachedResponse response = syncReading.response();
    return withHeaders(request, response.tag(), cacheStatus, () -> Response.json(response.json()));
  }

  private Response several(Request request, Set<String> ids, Map<String, SyncReading> found) {
    List<SyncView> views = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (String id : ids) {
      SyncReading syncReading = Objects.requireNonNull(found.get(id));
      Optional<SyncRecord> record =
          syncReading.record().filter(it -> may(request, it) == SyncPermission.YES);
      record.ifPresentOrElse(it -> views.add(view(it, syncReading.stale())), () -> missing.add(id));
    }
    String tag = EntityTags.of(views, missing);
    return withHeaders(
        request,
        tag,
        cacheStatus(
            found.values().stream()
                    .anyMatch(syncReading -> syncReading.source() == SyncReadSource.DATABASE)
                ? SyncReadSource.DATABASE
                : SyncReadSource.CACHE,
            found.values().stream().anyMatch(SyncReading::stale)),
        () -> Response.ok(new SyncViews(views, missing)));
  }

  private static Response withHeaders(
      Request request, String tag, String cacheStatus, Supplier<Response> whole) {
    boolean known =
        request.header("If-None-Match").filter(sent -> EntityTag.matches(sent, tag)).isPresent();
    return (known ? Response.notModified() : whole.get())
        .header("ETag", tag)
        .header("Cache-Control", "private, no-cache")
        .header("Cache-Status", cacheStatus);
  }

  /** The {@code Cache-Status} of a response (RFC 9211). */
  private static String cacheStatus(SyncReadSource syncReadSource, boolean stale) {
    return switch (syncReadSource) {
      case DATABASE -> "convoke; fwd=miss";
      case CACHE -> stale ? "convoke; hit; detail=database-out-of-reach" : "convoke; hit";
    };
  }

  private Response update(Request request) {
    SyncUpdateBody syncUpdateBody = request.body(SyncUpdateBody.class);
    SyncUpdate.StatusPosted statusPosted =
        new SyncUpdate.StatusPosted(
            syncUpdateBody.status(),
            syncUpdateBody.step(),
            syncUpdateBody.jobId(),
            syncUpdateBody.attempt(),
            syncUpdateBody.seq(),
            syncUpdateBody.errorMessage().filter(text -> !text.isEmpty()),
            syncUpdateBody
                .syncedBy()
                .or(syncUpdateBody::step)
                .orElseGet(() -> request.caller().scope()));
    SyncUpdateResult syncUpdateResult = writer.write(syncUpdateBody.meetingId(), statusPosted);
    return Response.ok(view(syncUpdateResult.record(), false));
  }

  private Response problems(Request request) {
    PageRequest pageRequest = request.page();
    List<SyncRecord> found =
        reader.problems(
            stallAfter, pageRequest.cursor().map(SyncEndpoints::place), pageRequest.limit() + 1);
    return Response.ok(
        Page.of(
                found,
                pageRequest,
                last -> Cursor.of(last.updatedAt().orElseThrow().toString(), last.meetingId()))
            .map(record -> view(record, false)));
  }

  private Response dismiss(Request request) {
    String id = request.path("meeting_id");
    long version = request.body(DismissRequest.class).version();
    try {
      return Response.ok(
          view(writer.dismiss(id, version, stallAfter, request.caller().scope()), false));
    } catch (SyncWriter.NothingToDismiss _) {
      SyncRecord known = visible(request, reader.readUncached(id));
      throw Problem.conflict(
          "not_a_problem",
          known.version() == version
              ? "Version " + version + " is not a problem."
              : "The sync has changed (version " + known.version() + "); reload.",
          Map.of("sync_status", known.status().wireName(), "version", known.version()));
    }
  }

  private Response retry(Request request) {
    String id = request.path("meeting_id");
    SyncRecord _ = visible(request, reader.readUncached(id));
    SyncUpdateResult syncUpdateResult =
        writer.write(id, new SyncUpdate.SyncRetryRequested(stallAfter, request.caller().scope()));
    return switch (syncUpdateResult) {
      case SyncUpdateResult.SyncUpdated(SyncRecord record, SyncStatus _) ->
          Response.accepted(view(record, false));
      case SyncUpdateResult.SyncUpdateIgnored(SyncRecord record, String _) ->
          Response.accepted(view(record, false));
      case SyncUpdateResult.SyncUpdateRefused(SyncRecord record, String why) ->
          throw Problem.conflict(
              "sync_" + record.status().wireName(),
              "Not retried: " + why + ".",
              Map.of("sync_status", record.status().wireName()));
    };
  }

  /** Whether a caller may do with a sync what is asked. */
  private enum SyncPermission {
    YES,
    /** Another user's meeting: 403 (sync-2). */
    FOREIGN,
    /** Not a meeting of this server: users get 404. */
    HIDDEN
  }

  private static SyncPermission may(Request request, SyncRecord record) {
    return switch (request.caller()) {
      case Caller.AdminCaller _, Caller.InternalCaller _ -> SyncPermission.YES;
      case Caller.UserCaller _ ->
          record
              .userId()
              .map(owner -> request.sees(owner) ? SyncPermission.YES : SyncPermission.FOREIGN)
              .orElse(SyncPermission.HIDDEN);
      case Caller.BotCaller _, Caller.AnonymousCaller _ -> SyncPermission.HIDDEN;
    };
  }

  private static SyncRecord visible(Request request, Optional<SyncRecord> found) {
    SyncRecord record = found.orElseThrow(() -> Problem.notFound("meeting"));
    return switch (may(request, record)) {
      case YES -> record;
      case FOREIGN -> throw Problem.forbidden("This meeting belongs to another user.");
      case HIDDEN -> throw Problem.notFound("meeting");
    };
  }

  private SyncView view(SyncRecord record, boolean stale) {
    return SyncView.of(record, clock.instant(), stallAfter, stale);
  }

  private static SyncStore.SyncPosition place(String cursor) {
    List<String> parts = Cursor.parse(cursor);
    try {
      if (parts.size() == 2) {
        return new SyncStore.SyncPosition(Instant.parse(parts.get(0)), parts.get(1));
      }
    } catch (DateTimeParseException e) {
      // The same response as for any invalid cursor.
    }
    throw Problem.badRequest("cursor", "is not a cursor of this list");
  }
}

package io.convoke.server.sync;

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
import io.convoke.server.sync.SyncReader.Reading;
import io.convoke.server.sync.SyncReader.Source;
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
  record Update(
      String meetingId,
      SyncStatus status,
      Optional<String> step,
      Optional<String> jobId,
      Optional<Long> attempt,
      Optional<Long> seq,
      Optional<String> errorMessage,
      Optional<String> syncedBy) {}

  /** A problem as the operator saw it. */
  record Dismissal(long version) {}

  /** Several meetings at once; {@code missing} are those that the caller may not know of. */
  record SyncViews(List<SyncView> items, List<String> missing) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get(PATH)
            .id("getSyncStatus")
            .tag("sync")
            .summary("The sync status of a meeting, or of several with the parameter repeated.")
            .description(
                "One meeting: its record. Several: items and, in missing, ids that are unknown or"
                    + " not yours. stale: the database is out of reach, and the answer comes from"
                    + " the cache, unconfirmed. Send the ETag as If-None-Match: 304 if nothing"
                    + " changed.")
            .roles(Role.USER, Role.INTERNAL)
            .repeatedQuery("meeting_id", MEETING_ID)
            .answers(200, Schema.anyOf(VIEW, Schema.of(SyncViews.class)))
            .answers(304)
            .problems(404)
            .handle(this::read),
        Endpoint.post(PATH)
            .id("updateSyncStatus")
            .tag("sync")
            .summary("Update a meeting's sync status.")
            .description(
                "Without attempt, seq and job_id an update is the newest there is. With them, one"
                    + " that is older or known is answered 200 with the record as it is, and"
                    + " changes nothing.")
            .roles(Role.INTERNAL)
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
            .roles(Role.ADMIN)
            .paged()
            .answers(200, Schema.slice(VIEW))
            .handle(this::problems),
        Endpoint.post(PATH + "/{meeting_id}/dismiss")
            .id("dismissSyncProblem")
            .tag("sync")
            .summary("Dismiss a failed or stalled sync.")
            .description("It leaves the list of problems until its next failure or stall.")
            .roles(Role.ADMIN)
            .path("meeting_id", MEETING_ID)
            .body(Schema.object().required("version", COUNT))
            .answers(200, VIEW)
            .problems(409)
            .handle(this::dismiss),
        Endpoint.post(PATH + "/{meeting_id}/retry")
            .id("retrySync")
            .tag("sync")
            .summary("Retry a failed or stalled sync.")
            .roles(Role.USER)
            .path("meeting_id", MEETING_ID)
            .answers(202, VIEW)
            .problems(409)
            .handle(this::retry));
  }

  private Answer read(Request request) {
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

  private Answer one(Request request, Reading reading) {
    SyncRecord record = visible(request.caller(), reading.record());
    String cacheStatus = cacheStatus(reading.source(), reading.stale());
    if (reading.stale() || SyncView.stalled(record, clock.instant(), stallAfter)) {
      SyncView view = view(record, reading.stale());
      return withHeaders(request, EntityTags.of(view), cacheStatus, () -> Answer.ok(view));
    }
    CachedResponse response = reading.response();
    return withHeaders(request, response.tag(), cacheStatus, () -> Answer.json(response.json()));
  }

  private Answer several(Request request, Set<String> ids, Map<String, Reading> found) {
    List<SyncView> views = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (String id : ids) {
      Reading reading = Objects.requireNonNull(found.get(id));
      Optional<SyncRecord> record =
          reading.record().filter(it -> may(request.caller(), it) == Right.YES);
      record.ifPresentOrElse(it -> views.add(view(it, reading.stale())), () -> missing.add(id));
    }
    String tag = EntityTags.of(views, missing);
    return withHeaders(
        request,
        tag,
        cacheStatus(
            found.values().stream().anyMatch(reading -> reading.source() == Source.DATABASE)
                ? Source.DATABASE
                : Source.CACHE,
            found.values().stream().anyMatch(Reading::stale)),
        () -> Answer.ok(new SyncViews(views, missing)));
  }

  private static Answer withHeaders(
      Request request, String tag, String cacheStatus, Supplier<Answer> whole) {
    boolean known =
        request.header("If-None-Match").filter(sent -> EntityTags.matches(sent, tag)).isPresent();
    return (known ? Answer.notModified() : whole.get())
        .header("ETag", tag)
        .header("Cache-Control", "private, no-cache")
        .header("Cache-Status", cacheStatus);
  }

  /** RFC 9211: where the answer is from. */
  private static String cacheStatus(Source source, boolean stale) {
    return switch (source) {
      case DATABASE -> "convoke; fwd=miss";
      case CACHE -> stale ? "convoke; hit; detail=database-out-of-reach" : "convoke; hit";
    };
  }

  private Answer update(Request request) {
    Update update = request.body(Update.class);
    SyncUpdate.Posted posted =
        new SyncUpdate.Posted(
            update.status(),
            update.step(),
            update.jobId(),
            update.attempt(),
            update.seq(),
            update.errorMessage().filter(text -> !text.isEmpty()),
            update.syncedBy().or(update::step).orElseGet(() -> request.caller().scope()));
    Applied applied = writer.write(update.meetingId(), posted);
    return Answer.ok(view(applied.record(), false));
  }

  private Answer problems(Request request) {
    Page page = request.page();
    List<SyncRecord> found =
        reader.problems(stallAfter, page.cursor().map(SyncEndpoints::place), page.limit() + 1);
    return Answer.ok(
        Slice.of(
                found,
                page,
                last -> Cursor.of(last.updatedAt().orElseThrow().toString(), last.meetingId()))
            .map(record -> view(record, false)));
  }

  private Answer dismiss(Request request) {
    String id = request.path("meeting_id");
    long version = request.body(Dismissal.class).version();
    Optional<SyncRecord> dismissed =
        writer.dismiss(id, version, stallAfter, request.caller().scope());
    if (dismissed.isPresent()) {
      return Answer.ok(view(dismissed.get(), false));
    }
    SyncRecord known = visible(request.caller(), reader.readUncached(id));
    throw Problem.conflict(
        "not_a_problem",
        "The sync has changed (version " + known.version() + "); reload.",
        Map.of("sync_status", known.status().word(), "version", known.version()));
  }

  private Answer retry(Request request) {
    String id = request.path("meeting_id");
    SyncRecord known = visible(request.caller(), reader.readUncached(id));
    Applied applied =
        writer.write(
            id,
            new SyncUpdate.Retry(
                SyncView.stalled(known, clock.instant(), stallAfter), request.caller().scope()));
    return switch (applied) {
      case Applied.Moved(SyncRecord record, SyncStatus _) -> Answer.accepted(view(record, false));
      case Applied.Unchanged(SyncRecord record, String _) -> Answer.accepted(view(record, false));
      case Applied.Refused(SyncRecord record, String why) ->
          throw Problem.conflict(
              "sync_" + record.status().word(),
              "Not retried: " + why + ".",
              Map.of("sync_status", record.status().word()));
    };
  }

  /** What a caller may do with a sync. */
  private enum Right {
    YES,
    /** It is another user's: 403 (sync-2). */
    FOREIGN,
    /** It is no meeting of ours: users are not told that there is one. */
    HIDDEN
  }

  private static Right may(Caller caller, SyncRecord record) {
    return switch (caller) {
      case Caller.Admin _, Caller.Internal _ -> Right.YES;
      case Caller.User user ->
          record
              .userId()
              .map(owner -> owner == user.userId() ? Right.YES : Right.FOREIGN)
              .orElse(Right.HIDDEN);
      case Caller.Bot _, Caller.Anonymous _ -> Right.HIDDEN;
    };
  }

  private static SyncRecord visible(Caller caller, Optional<SyncRecord> found) {
    SyncRecord record = found.orElseThrow(() -> Problem.notFound("meeting"));
    return switch (may(caller, record)) {
      case YES -> record;
      case FOREIGN -> throw Problem.forbidden("This meeting belongs to another user.");
      case HIDDEN -> throw Problem.notFound("meeting");
    };
  }

  private SyncView view(SyncRecord record, boolean stale) {
    return SyncView.of(record, clock.instant(), stallAfter, stale);
  }

  private static SyncStore.Place place(String cursor) {
    List<String> parts = Cursor.parse(cursor);
    try {
      if (parts.size() == 2) {
        return new SyncStore.Place(Instant.parse(parts.get(0)), parts.get(1));
      }
    } catch (DateTimeParseException e) {
      // The same answer as for any other cursor that is not ours.
    }
    throw Problem.badRequest("cursor", "is not a cursor of this list");
  }
}

package io.convoke.server.recordings;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
import io.convoke.server.recordings.RecordingParts.ParticipantPart;
import io.convoke.server.recordings.RecordingParts.StoredPart;
import io.convoke.server.recordings.RecordingTransitions.RecordingTransitionResult;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * {@code POST /bots/internal/recordings}: recordings come in from bots, whole or in parts while
 * they record, and go the way of other recordings from the last part on. A bot that ended without
 * one leaves what it sent; that goes the same way a while later.
 */
final class RecordingUploads implements AutoCloseable {
  /** How long after a bot's end its last part is waited for. */
  static final Duration LAST_PART_MAX = Duration.ofMinutes(15);

  private static final Duration ROUND = Duration.ofMinutes(1);

  /** A whole recording of a long meeting, in one part or in many. */
  private static final long BYTES_MAX = 4L << 30;

  private static final int PARTS_MAX = 100_000;
  private static final int METADATA_MAX = 64 * 1024;
  private static final int PARTICIPANT_ID_MAX = 255;

  /** Seconds: a day, as for tracks of platforms. */
  private static final double OFFSET_MAX = 86_400;

  private static final int BATCH = 100;
  private static final String ACTOR = "bot";

  private final Database database;
  private final BlobStore blobs;
  private final RecordingTransitions transitions;
  private final RecordingParts parts;
  private final PeriodicTask task = new PeriodicTask("recordings-uploads", ROUND, this::round);

  RecordingUploads(
      Database database, BlobStore blobs, RecordingTransitions transitions, RecordingParts parts) {
    this.database = database;
    this.blobs = blobs;
    this.transitions = transitions;
    this.parts = parts;
  }

  /** The launch that uploads, and its meeting. */
  private record UploadingBot(
      long meetingId,
      long userId,
      String platform,
      String room,
      String connectionId,
      Optional<Instant> began,
      Optional<Instant> ended,
      Optional<String> status,
      Instant now) {
    /** Whether its recording takes no parts any more. */
    boolean closed() {
      return status.filter(of -> !of.equals(RecordingStatus.IN_PROGRESS.wireName())).isPresent();
    }
  }

  /** What a bot says about a part. */
  private record PartFacts(
      int number,
      boolean last,
      Optional<Duration> duration,
      Optional<ParticipantPart> participant) {}

  /** The answer to an upload. */
  record UploadReply(String recordingId, String status) {}

  /** A recording whose bot ended without the last part. */
  private record AbandonedUpload(String recordingId, int run, boolean some) {}

  void start() {
    task.startAfter(ROUND);
  }

  @Override
  public void close() {
    task.close();
  }

  Endpoint endpoint() {
    return Endpoint.post("/bots/internal/recordings")
        .id("uploadBotRecording")
        .tag("callbacks")
        .summary("A bot uploads its recording, or a part of it.")
        .description(
            "multipart/form-data with metadata (JSON: session_uid, chunk_seq, is_final,"
                + " duration_seconds, participant_id, offset_seconds) and file. Without chunk_seq"
                + " it is the whole recording; with participant_id a part of that person's track.")
        .roles(CallerRole.BOT)
        .streamedBody("multipart/form-data", BYTES_MAX)
        .answers(
            200,
            Schema.object()
                .required("recording_id", Schema.text())
                .required("status", Schema.text())
                .named("BotUploadAnswer"))
        .problems(410, 503)
        .handle(this::upload);
  }

  private Response upload(Request request) throws IOException {
    Caller.BotCaller bot =
        switch (request.caller()) {
          case Caller.BotCaller botCaller -> botCaller;
          case Caller.UserCaller _,
              Caller.AdminCaller _,
              Caller.InternalCaller _,
              Caller.AnonymousCaller _ ->
              throw Problem.forbidden();
        };
    UploadingBot uploading =
        launch(bot)
            .orElseThrow(
                () ->
                    Problem.gone("attempt_replaced", "This launch is no longer the current one."));
    if (uploading.ended().filter(end -> late(end, uploading.now())).isPresent()) {
      throw Problem.gone("meeting_over", "The meeting has been over for too long.");
    }
    if (uploading.closed()) {
      return Response.ok(new UploadReply(id(uploading), uploading.status().orElseThrow()));
    }
    MultipartReader reader =
        MultipartReader.of(request.header("Content-Type").orElse(""), request.bodyStream());
    Optional<PartFacts> facts = Optional.empty();
    Optional<MultipartReader.FormPart> next = reader.next();
    while (next.isPresent() && !next.get().name().equals("file")) {
      if (next.get().name().equals("metadata")) {
        facts = Optional.of(facts(bot, next.get()));
      }
      next = reader.next();
    }
    if (facts.isEmpty() || next.isEmpty()) {
      throw Problem.badRequest("body", "needs metadata and then a file");
    }
    PartFacts told = facts.get();
    if (database.read(tx -> RecordingParts.bytesBeside(tx, id(uploading), told.number()))
        >= BYTES_MAX) {
      throw tooLarge();
    }
    StoredPart part = stored(uploading, told, next.get());
    if (reader.next().isPresent()) {
      throw Problem.badRequest("body", "has more than one file");
    }
    return Response.ok(arrived(uploading, told, part));
  }

  private static boolean late(Instant end, Instant now) {
    return end.plus(LAST_PART_MAX).isBefore(now);
  }

  private static PartFacts facts(Caller.BotCaller bot, MultipartReader.FormPart part)
      throws IOException {
    JsonNode metadata = metadata(part);
    String session = metadata.path("session_uid").asString("");
    if (session.isEmpty()) {
      throw Problem.badRequest("metadata.session_uid", "is required");
    }
    if (!session.equals(bot.connectionId())) {
      throw Problem.forbidden("This token is for another session.");
    }
    JsonNode number = metadata.path("chunk_seq");
    boolean whole = !metadata.hasNonNull("chunk_seq");
    if (number.isFloatingPointNumber() && number.asDouble(Double.NaN) % 1 != 0) {
      throw Problem.badRequest("metadata.chunk_seq", "must be an integer");
    }
    int its = whole ? 0 : number.asInt(-1);
    if (its < 0 || its >= PARTS_MAX) {
      throw Problem.badRequest("metadata.chunk_seq", "is out of range");
    }
    JsonNode last = metadata.path("is_final");
    if (metadata.hasNonNull("is_final") && last.asBoolean(true) != last.asBoolean(false)) {
      throw Problem.badRequest("metadata.is_final", "must be a boolean");
    }
    double seconds = metadata.path("duration_seconds").asDouble(0);
    return new PartFacts(
        its,
        whole || last.asBoolean(false),
        seconds > 0 && seconds < 1e6
            ? Optional.of(Duration.ofSeconds(Math.round(seconds)))
            : Optional.empty(),
        participant(metadata));
  }

  private static JsonNode metadata(MultipartReader.FormPart part) throws IOException {
    byte[] content = part.content().readNBytes(METADATA_MAX + 1);
    if (content.length > METADATA_MAX) {
      throw Problem.badRequest("metadata", "is longer than " + METADATA_MAX + " bytes");
    }
    try {
      JsonNode metadata = Json.read(new String(content, UTF_8));
      if (metadata.isObject()) {
        return metadata;
      }
    } catch (JacksonException e) {
      throw Problem.badRequest("metadata", "is not JSON");
    }
    throw Problem.badRequest("metadata", "must be an object");
  }

  private static Optional<ParticipantPart> participant(JsonNode metadata) {
    String id = metadata.path("participant_id").asString("");
    if (id.isEmpty()) {
      return Optional.empty();
    }
    if (id.length() > PARTICIPANT_ID_MAX || id.chars().anyMatch(Character::isISOControl)) {
      throw Problem.badRequest("metadata.participant_id", "is not an id");
    }
    if (!metadata.hasNonNull("offset_seconds")) {
      throw Problem.badRequest("metadata.offset_seconds", "is required with participant_id");
    }
    double offset = metadata.path("offset_seconds").asDouble(-1);
    if (!(offset >= 0 && offset <= OFFSET_MAX)) {
      throw Problem.badRequest("metadata.offset_seconds", "is out of range");
    }
    return Optional.of(new ParticipantPart(id, Duration.ofMillis(Math.round(offset * 1000))));
  }

  private StoredPart stored(UploadingBot uploading, PartFacts facts, MultipartReader.FormPart file)
      throws IOException {
    BlobKey key = RecordingParts.key(id(uploading), facts.number());
    try {
      StoredBlob blob = blobs.put(key, file.content());
      return new StoredPart(facts.number(), key, blob.size(), facts.participant());
    } catch (IOException e) {
      throw Problem.unavailable("The store of audio");
    }
  }

  private static String id(UploadingBot uploading) {
    return "bot-" + uploading.connectionId();
  }

  private static Problem tooLarge() {
    return Problem.of(
        413, "too_large", "The recording's parts have more than " + BYTES_MAX + " bytes.");
  }

  /** A part of a recording that goes its way already, or is deleted, changes nothing. */
  private UploadReply arrived(UploadingBot uploading, PartFacts facts, StoredPart part) {
    Optional<RecordingTransitionResult> result =
        database.transaction(
            tx -> {
              RecordingTransitionResult begun =
                  report(tx, uploading, facts, new RecordingEvent.RecordingStarted());
              if (!waits(begun)) {
                return Optional.of(begun);
              }
              if (RecordingParts.bytesBeside(tx, id(uploading), part.number()) + part.size()
                  > BYTES_MAX) {
                RecordingParts.remove(tx, id(uploading), part.number());
                return Optional.empty();
              }
              if (part.size() > 0) {
                RecordingParts.add(tx, id(uploading), part);
              }
              return Optional.of(
                  facts.last() ? report(tx, uploading, facts, end(tx, id(uploading))) : begun);
            });
    boolean kept =
        database.read(tx -> RecordingParts.has(tx, id(uploading), Optional.of(part.number())));
    if (!kept) {
      parts.forget(List.of(part));
    }
    return new UploadReply(
        id(uploading),
        row(result.orElseThrow(RecordingUploads::tooLarge))
            .map(row -> row.status().wireName())
            .orElse("deleted"));
  }

  private static RecordingEvent end(Tx tx, String recordingId) {
    return RecordingParts.has(tx, recordingId, Optional.empty())
        ? new RecordingEvent.FileReady(true)
        : new RecordingEvent.FileEmpty();
  }

  private static boolean waits(RecordingTransitionResult result) {
    return row(result).filter(row -> row.status() == RecordingStatus.IN_PROGRESS).isPresent();
  }

  private static Optional<RecordingRow> row(RecordingTransitionResult result) {
    return switch (result) {
      case RecordingTransitionResult.RecordingMoved(RecordingRow row) -> Optional.of(row);
      case RecordingTransitionResult.RecordingUnchanged(RecordingRow row) -> Optional.of(row);
      case RecordingTransitionResult.RecordingEventRefused(RecordingRow row, _) -> Optional.of(row);
      case RecordingTransitionResult.RecordingMissing _ -> Optional.empty();
    };
  }

  private RecordingTransitionResult report(
      Tx tx, UploadingBot uploading, PartFacts facts, RecordingEvent event) {
    return transitions.reported(
        tx,
        uploading.platform(),
        new RecordingInfo(
            id(uploading),
            uploading.room(),
            Optional.empty(),
            Optional.of(uploading.connectionId()),
            uploading.began(),
            facts.duration(),
            facts.last() ? PlatformRecordingStatus.FINISHED : PlatformRecordingStatus.RUNNING,
            Optional.of(RecordingParts.KIND)),
        MeetingAssignment.in(uploading.meetingId(), uploading.userId()),
        event,
        ACTOR);
  }

  /** The launch that a token is for, if it is its meeting's present one. */
  private Optional<UploadingBot> launch(Caller.BotCaller bot) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select m.user_id, m.platform, m.platform_specific_id, m.end_time, m.status,
                      coalesce(m.admitted_at, s.session_start_time) as began,
                      case when r.deleted_at is null then r.status else 'deleted' end as recorded,
                      now() as now
                    from meetings m
                    left join meeting_sessions s
                      on s.meeting_id = m.id and s.session_uid = m.connection_id
                    left join recordings r on r.recording_id = 'bot-' || m.connection_id
                    where m.id = ? and not m.tracked and m.connection_id = ? and m.attempt = ?
                    """)
                .with(bot.meetingId(), bot.connectionId(), bot.attempt())
                .first(
                    row ->
                        new UploadingBot(
                            bot.meetingId(),
                            row.longAt("user_id"),
                            row.text("platform"),
                            row.text("platform_specific_id"),
                            bot.connectionId(),
                            row.maybeInstant("began"),
                            row.maybeInstant("end_time"),
                            row.maybeText("recorded"),
                            row.instant("now"))));
  }

  private Duration round() {
    int _ = finish();
    return ROUND;
  }

  /** Ends recordings whose bots ended without a last part; returns how many. */
  int finish() {
    List<AbandonedUpload> abandoned =
        database.read(
            tx ->
                tx.sql(
                        """
                        select r.recording_id, r.run, exists (
                          select from recording_parts p
                          where p.recording_id = r.recording_id) as some
                        from recordings r join meetings m on m.id = r.meeting_id
                        where r.status = 'in_progress' and r.kind = ? and r.deleted_at is null
                          and (m.status in ('completed', 'failed')
                            or 'bot-' || m.connection_id is distinct from r.recording_id)
                          and greatest(r.told_at, coalesce(m.end_time, r.told_at))
                            < now() - ? * interval '1 millisecond'
                        order by r.told_at limit ?
                        """)
                    .with(RecordingParts.KIND, LAST_PART_MAX, BATCH)
                    .list(
                        row ->
                            new AbandonedUpload(
                                row.text("recording_id"),
                                row.intAt("run"),
                                row.booleanAt("some"))));
    for (AbandonedUpload upload : abandoned) {
      RecordingTransitionResult _ =
          transitions.apply(
              upload.recordingId(),
              upload.run(),
              upload.some() ? new RecordingEvent.FileReady(true) : new RecordingEvent.FileEmpty(),
              ACTOR);
    }
    return abandoned.size();
  }
}

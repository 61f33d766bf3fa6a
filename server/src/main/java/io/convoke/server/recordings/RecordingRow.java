package io.convoke.server.recordings;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A row of {@code recordings}. */
record RecordingRow(
    String id,
    Optional<Long> meetingId,
    Optional<Long> userId,
    RecordingStatus status,
    Optional<String> reason,
    RecordingSteps steps,
    String platform,
    String room,
    String kind,
    String foundBy,
    Optional<Instant> startTime,
    Optional<Integer> durationS,
    List<Long> candidates,
    int run,
    long epoch,
    long version,
    boolean transcribed,
    Optional<StoredAudio> audio,
    Instant stateEnteredAt,
    Instant toldAt,
    Instant createdAt,
    Instant updatedAt) {
  static final String COLUMNS =
      """
      recording_id, meeting_id, user_id, status, reason, steps, platform, room_name, kind, found_by,
      start_time, duration_s, candidates, run, epoch, version, transcribed, blob_key, blob_size,
      blob_sha256, state_entered_at, told_at, created_at, updated_at
      """;

  /** The key of its audio in the blob store. */
  record StoredAudio(String key, long size, String sha256) {}

  static RecordingRow of(ResultRow resultRow) {
    return new RecordingRow(
        resultRow.text("recording_id"),
        resultRow.maybeLong("meeting_id"),
        resultRow.maybeLong("user_id"),
        RecordingStatus.of(resultRow.text("status")),
        resultRow.maybeText("reason"),
        RecordingSteps.read(resultRow.json("steps")),
        resultRow.text("platform"),
        resultRow.maybeText("room_name").orElse(""),
        resultRow.text("kind"),
        resultRow.text("found_by"),
        resultRow.maybeInstant("start_time"),
        resultRow.maybeInt("duration_s"),
        resultRow.longs("candidates"),
        resultRow.intAt("run"),
        resultRow.longAt("epoch"),
        resultRow.longAt("version"),
        resultRow.booleanAt("transcribed"),
        resultRow
            .maybeText("blob_key")
            .map(
                key ->
                    new StoredAudio(
                        key,
                        resultRow.maybeLong("blob_size").orElse(0L),
                        resultRow.maybeText("blob_sha256").orElse(""))),
        resultRow.instant("state_entered_at"),
        resultRow.instant("told_at"),
        resultRow.instant("created_at"),
        resultRow.instant("updated_at"));
  }

  RecordingState state() {
    return new RecordingState(status, meetingId.isPresent(), run > 0);
  }

  /** The workflow of its present run. */
  String workflow() {
    return workflow(id, run);
  }

  /** The first run has the recording's own name; later ones are numbered. */
  static String workflow(String id, int run) {
    return RecordingWorkflow.NAME + "-" + id + (run <= 1 ? "" : "-" + run);
  }
}

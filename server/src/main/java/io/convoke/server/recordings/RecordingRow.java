package io.convoke.server.recordings;

import io.convoke.engine.sql.Row;
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
    WorkSteps steps,
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
    Optional<Audio> audio,
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

  /** Where its audio lies with us. */
  record Audio(String key, long size, String sha256) {}

  static RecordingRow of(Row row) {
    return new RecordingRow(
        row.text("recording_id"),
        row.maybeLong("meeting_id"),
        row.maybeLong("user_id"),
        RecordingStatus.of(row.text("status")),
        row.maybeText("reason"),
        WorkSteps.read(row.json("steps")),
        row.text("platform"),
        row.maybeText("room_name").orElse(""),
        row.text("kind"),
        row.text("found_by"),
        row.maybeInstant("start_time"),
        row.maybeInt("duration_s"),
        row.longs("candidates"),
        row.intAt("run"),
        row.longAt("epoch"),
        row.longAt("version"),
        row.booleanAt("transcribed"),
        row.maybeText("blob_key")
            .map(
                key ->
                    new Audio(
                        key,
                        row.maybeLong("blob_size").orElse(0L),
                        row.maybeText("blob_sha256").orElse(""))),
        row.instant("state_entered_at"),
        row.instant("told_at"),
        row.instant("created_at"),
        row.instant("updated_at"));
  }

  RecordingState state() {
    return new RecordingState(status, meetingId.isPresent());
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

package io.convoke.server.egress;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.Optional;

/**
 * A task that makes files of a room, as pods began it.
 *
 * @param userId empty is the operator
 * @param kind what it makes: {@code record}, {@code hls}, {@code snapshots} or {@code push}
 * @param state the task's
 * @param bytes of all files, as counted after the end
 * @param deletedAt when its files were deleted
 */
record EgressRow(
    String taskId,
    Optional<Long> userId,
    String room,
    String kind,
    String state,
    Instant createdAt,
    Optional<Instant> endedAt,
    Optional<Long> bytes,
    Optional<Instant> deletedAt) {
  static final String COLUMNS =
      "task_id, user_id, room, kind, state, created_at, ended_at, bytes, deleted_at";

  static EgressRow of(ResultRow row) {
    return new EgressRow(
        row.text("task_id"),
        row.maybeLong("user_id"),
        row.text("room"),
        row.text("kind"),
        row.text("state"),
        row.instant("created_at"),
        row.maybeInstant("ended_at"),
        row.maybeLong("bytes"),
        row.maybeInstant("deleted_at"));
  }
}

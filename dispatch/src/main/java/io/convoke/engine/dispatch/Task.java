package io.convoke.engine.dispatch;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task with its current state. All times are by the clock of Redis, or of the database for tasks
 * read there.
 *
 * @param spec the request: id, type, action, channel, request_id, region, user_id, payload
 * @param stop whether it is to stop
 * @param pendingAt start of its last wait; in the future during a retry backoff
 * @param workerId the slot of the pod that holds it
 * @param fence token that its holder sends with each report
 * @param lane the queue that it waits in or was claimed from
 */
public record Task(
    ObjectNode spec,
    TaskState state,
    boolean stop,
    int attempt,
    int retryCount,
    Instant createdAt,
    Instant pendingAt,
    Optional<Instant> processedAt,
    Optional<Instant> completedAt,
    String error,
    Optional<String> podId,
    Optional<Integer> workerId,
    String fence,
    String lane,
    Optional<Instant> leaseExpiry) {

  public String id() {
    return spec.path("id").asString();
  }

  public String type() {
    return spec.path("type").asString();
  }

  public String channel() {
    return spec.path("channel").asString();
  }

  /** The owner; empty is the operator. */
  public Optional<Long> userId() {
    return Optional.of(spec.path("user_id")).filter(JsonNode::isNumber).map(JsonNode::asLong);
  }

  /** The requested region; empty for any. */
  public Optional<String> region() {
    return Optional.ofNullable(spec.path("region").asString(null));
  }

  /** For the pod only; {@link TaskJson} redacts its secrets for others. */
  public JsonNode payload() {
    return spec.path("payload");
  }

  /** A task that was enqueued now. */
  static Task pending(EnqueueRequest enqueueRequest, Instant now) {
    return new Task(
        enqueueRequest.spec(),
        TaskState.PENDING,
        false,
        0,
        0,
        now,
        now,
        Optional.empty(),
        Optional.empty(),
        "",
        Optional.empty(),
        Optional.empty(),
        "",
        enqueueRequest.task().region().orElse(KeySpace.GLOBAL),
        Optional.empty());
  }

  /** Reads the fields of {@code task_fields} in task.lua; empty if the task does not exist. */
  static Optional<Task> read(List<?> fields) {
    if (fields.get(0) == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Task(
            TaskSpecCodec.read(text(fields, 0)),
            TaskState.valueOf(text(fields, 1)),
            text(fields, 2).equals("stop"),
            Integer.parseInt(text(fields, 3)),
            Integer.parseInt(text(fields, 4)),
            time(fields, 5).orElseThrow(),
            time(fields, 6).orElseThrow(),
            time(fields, 7),
            time(fields, 8),
            text(fields, 9),
            some(fields, 13),
            some(fields, 10).map(Integer::valueOf),
            text(fields, 11),
            text(fields, 12),
            time(fields, 14)));
  }

  private static String text(List<?> fields, int index) {
    @Nullable Object value = fields.get(index);
    return value == null ? "" : value.toString();
  }

  private static Optional<String> some(List<?> fields, int index) {
    return Optional.of(text(fields, index)).filter(value -> !value.isEmpty());
  }

  private static Optional<Instant> time(List<?> fields, int index) {
    return some(fields, index).map(millis -> Instant.ofEpochMilli(Long.parseLong(millis)));
  }
}

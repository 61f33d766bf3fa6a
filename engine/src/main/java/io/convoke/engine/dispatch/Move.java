package io.convoke.engine.dispatch;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * One move of a task, as the function that made it told it.
 *
 * @param number grows with each move of a task; what is not larger than what is known is old news
 * @param stop whether the task is to stop
 */
public record Move(
    String id,
    long number,
    TaskState state,
    int attempt,
    Instant at,
    String error,
    Optional<String> podId,
    Optional<Integer> workerId,
    boolean stop) {

  /** Reads an entry of the outbox. */
  static Move of(Map<String, String> entry) {
    return new Move(
        field(entry, "id"),
        Long.parseLong(field(entry, "move")),
        TaskState.valueOf(field(entry, "state")),
        Integer.parseInt(field(entry, "attempt")),
        Instant.ofEpochMilli(Long.parseLong(field(entry, "at"))),
        field(entry, "error"),
        some(field(entry, "pod")),
        some(field(entry, "worker")).map(Integer::valueOf),
        field(entry, "desired").equals("stop"));
  }

  private static String field(Map<String, String> entry, String name) {
    return entry.getOrDefault(name, "");
  }

  private static Optional<String> some(String text) {
    return Optional.of(text).filter(value -> !value.isEmpty());
  }
}

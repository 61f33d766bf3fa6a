package io.convoke.engine.dispatch;

import java.time.Instant;
import java.util.List;
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

  /** Where a task stands that adopt.lua found known; empty if it was taken in. */
  static Optional<Move> ofAdoption(String id, List<?> answer) {
    if (answer.getFirst().equals(1L)) {
      return Optional.empty();
    }
    return Optional.of(
        new Move(
            id,
            (Long) answer.get(1),
            TaskState.valueOf((String) answer.get(2)),
            Math.toIntExact((Long) answer.get(3)),
            Instant.ofEpochMilli((Long) answer.get(4)),
            (String) answer.get(5),
            some((String) answer.get(6)),
            some((String) answer.get(7)).map(Integer::valueOf),
            answer.get(8).equals("stop")));
  }

  private static Optional<String> some(String text) {
    return Optional.of(text).filter(value -> !value.isEmpty());
  }
}

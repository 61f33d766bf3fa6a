package io.convoke.engine.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One move of a task, as the function that made it told it.
 *
 * @param number grows with each move of a task; what is not larger than what is known is old news
 * @param tries attempts that failed in a row, so far
 * @param delay how long after the move it waits before it may be claimed
 * @param stop whether the task is to stop
 */
public record TaskTransition(
    String id,
    long number,
    TaskState state,
    int attempt,
    int tries,
    Duration delay,
    Instant at,
    String error,
    Optional<String> podId,
    Optional<Integer> workerId,
    boolean stop) {
  private static final int WORDS = 7;

  /** The moves of an entry of the outbox, in their order: {@code tell} in task.lua writes them. */
  static List<TaskTransition> of(Map<String, String> entry) {
    return entry.entrySet().stream().map(each -> of(each.getKey(), each.getValue())).toList();
  }

  private static TaskTransition of(String which, String what) {
    String[] name = which.split("\\|", 2);
    // The reason comes last and may hold anything.
    String[] words = what.split("\\|", WORDS);
    if (name.length < 2 || words.length < WORDS) {
      throw new IllegalArgumentException("not a move: " + which + " " + what);
    }
    int[] attempt = Arrays.stream(words[1].split(":", 3)).mapToInt(Integer::parseInt).toArray();
    return new TaskTransition(
        name[0],
        Long.parseLong(name[1]),
        TaskState.valueOf(words[0]),
        attempt[0],
        attempt.length > 1 ? attempt[1] : 0,
        Duration.ofMillis(attempt.length > 2 ? attempt[2] : 0),
        Instant.ofEpochMilli(Long.parseLong(words[2])),
        words[6],
        some(words[3]),
        some(words[4]).map(Integer::valueOf),
        words[5].equals("stop"));
  }

  private static Optional<String> some(String text) {
    return Optional.of(text).filter(value -> !value.isEmpty());
  }
}

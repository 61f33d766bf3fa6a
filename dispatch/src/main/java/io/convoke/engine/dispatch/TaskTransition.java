package io.convoke.engine.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A transition of a task, as its Lua script emitted it.
 *
 * @param number increases with each transition of a task; smaller numbers are outdated
 * @param tries consecutive failed attempts
 * @param delay backoff before it may be claimed
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

  /** The transitions of an outbox entry, in order; {@code emit} in task.lua writes them. */
  static List<TaskTransition> of(Map<String, String> entry) {
    return entry.entrySet().stream().map(each -> of(each.getKey(), each.getValue())).toList();
  }

  /** A text with U+FFFD for each U+0000, which Postgres cannot store. */
  static String storable(String text) {
    return text.replace('\0', '\uFFFD');
  }

  private static TaskTransition of(String which, String what) {
    String[] name = which.split("\\|", 2);
    // The reason comes last and may contain any character; pods of earlier releases leave U+0000.
    String[] words = storable(what).split("\\|", WORDS);
    if (name.length < 2 || words.length < WORDS) {
      throw new IllegalArgumentException("invalid outbox entry: " + which + " " + what);
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

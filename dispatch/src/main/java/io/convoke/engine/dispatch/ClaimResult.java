package io.convoke.engine.dispatch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The result of a claim.
 *
 * @param more whether more tasks wait in the queues that were read, whether or not they fit this
 *     pod
 * @param refused whether a task was left because its cost exceeds the free capacity
 */
record ClaimResult(boolean more, List<Task> tasks, boolean refused) {
  /** Fields of one task in the reply. */
  private static final int EACH = 6;

  /** Reads the reply of claim.lua. */
  static ClaimResult read(PodId pod, List<?> answer) {
    String generation = answer.get(1).toString();
    Instant now = time(answer.get(2));
    Instant leaseEnd = time(answer.get(3));
    List<?> given = (List<?>) answer.get(4);
    List<?> requests = (List<?>) answer.get(5);
    List<Task> tasks = new ArrayList<>(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      List<?> words = given.subList(EACH * i, EACH * (i + 1));
      int attempt = Math.toIntExact((Long) words.get(1));
      tasks.add(
          new Task(
              TaskSpecCodec.read(requests.get(i).toString()),
              TaskState.PROCESSING,
              false,
              attempt,
              Math.toIntExact((Long) words.get(2)),
              time(words.get(3)),
              time(words.get(4)),
              Optional.of(now),
              Optional.empty(),
              "",
              Optional.of(pod.id()),
              Optional.of(Integer.valueOf(words.get(0).toString())),
              attempt + "." + generation,
              words.get(5).toString(),
              Optional.of(leaseEnd)));
    }
    return new ClaimResult(answer.getFirst().equals(1L), tasks, answer.get(6).equals(1L));
  }

  private static Instant time(Object millis) {
    return Instant.ofEpochMilli((Long) millis);
  }
}

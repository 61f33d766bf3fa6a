package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskReply;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import java.time.Instant;
import java.util.Optional;

/** What a history is made of by hand; times are in ms since its beginning. */
final class TaskHistoryBuilder {
  private static final Instant ZERO = Instant.parse("2026-01-01T00:00:00Z");

  private TaskHistoryBuilder() {}

  static ObservedTransition transition(
      long seq,
      String type,
      String id,
      String state,
      int attempt,
      String pod,
      String error,
      long millis) {
    Optional<Instant> pendingAt =
        state.equals("PENDING") ? Optional.of(at(millis)) : Optional.empty();
    return new ObservedTransition(
        seq, type, id, state, attempt, pod(pod), error, at(millis), pendingAt);
  }

  /** A task that waits, and may be taken from another time on. */
  static ObservedTransition waits(
      long seq, String id, int attempt, String error, long millis, long from) {
    return new ObservedTransition(
        seq,
        "task.pending",
        id,
        "PENDING",
        attempt,
        Optional.empty(),
        error,
        at(millis),
        Optional.of(at(from)));
  }

  static Optional<String> pod(String name) {
    return Optional.of(name).filter(it -> !it.isEmpty());
  }

  static ObservedAttempt attempt(
      String id, int number, String pod, long begun, long ended, String code) {
    return new ObservedAttempt(
        id, number, "pod-1.1", pod, at(begun), Optional.of(at(ended)), code, "0");
  }

  static TaskReply answer(String request, int status, String id, long millis) {
    return new TaskReply(request, 0, status, id, at(millis), at(millis + 5));
  }

  static TaskRow row(
      String id, String request, String state, int attempt, String error, long from, long to) {
    return new TaskRow(
        id,
        request,
        "c",
        request.equals("r1"),
        state,
        attempt,
        false,
        error,
        at(from),
        Optional.of(at(to)));
  }

  static Instant at(long millis) {
    return ZERO.plusMillis(millis);
  }
}
